/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.region;

import static io.rdma4j.fabric.region.Domains.PAGE;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.fabric.Domain;
import io.rdma4j.fabric.MrAccess;
import io.rdma4j.fabric.MrAttributes;
import io.rdma4j.fabric.testing.Await;
import io.rdma4j.testing.Patience;
import io.rdma4j.testing.TestBudget;
import io.rdma4j.verbs.PinnedMemory;
import io.rdma4j.verbs.WcStatus;

import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;

/** After close() has returned no peer reaches the memory (checklist 46): while peers write as fast as they can. */
@Timeout(120)
class RevocationTest {
    private static final int PEERS = 3;
    private static final int ROUNDS = TestBudget.rounds(30, 300);
    private static final byte MINE = 0x55;

    @RegisterExtension
    final Domains domains = new Domains();

    private final List<Throwable> failures = Collections.synchronizedList(new ArrayList<>());
    private final AtomicLong written = new AtomicLong();
    private final AtomicLong refused = new AtomicLong();

    /** A region that peers write to; null at the end. */
    private final AtomicReference<RegionDevice.Keys> target = new AtomicReference<>();

    @Test
    void noWriteComesAfterClose() throws InterruptedException {
        final Domain domain = domains.open();
        final PinnedMemory memory = domain.allocate(PAGE);
        final UnsafeBuffer bytes = memory.buffer();
        FabricRegion region = register(domain, memory, 0);
        final Realm realm = region.realm();
        realm.retain();
        target.set(region.body().devices().keys());
        final List<Thread> peers = new ArrayList<>();
        for (int i = 0; i < PEERS; i++) {
            peers.add(start(realm));
        }
        for (int round = 1; round <= ROUNDS; round++) {
            awaitWrites();
            region.close();
            bytes.setMemory(0, PAGE, MINE);
            final long refusals = refused.get();
            awaitRefusals(refusals);
            for (int i = 0; i < PAGE; i++) {
                assertThat(bytes.getByte(i)).as("byte %d in round %d", i, round).isEqualTo(MINE);
            }
            region = register(domain, memory, round);
            target.set(region.body().devices().keys());
        }
        target.set(null);
        for (final Thread peer : peers) {
            Patience.join(peer);
        }
        assertThat(failures).isEmpty();
        region.close();
        realm.release();
        memory.close();
    }

    private static FabricRegion register(final Domain domain, final PinnedMemory memory, final long key) {
        return (FabricRegion) domain.register(new MrAttributes().buffer(memory).requestedKey(key)
            .access(MrAccess.REMOTE_WRITE));
    }

    private Thread start(final Realm realm) {
        final Thread thread = new Thread(() -> {
            try (Wire wire = new Wire(realm)) {
                for (RegionDevice.Keys keys = target.get(); keys != null; keys = target.get()) {
                    final boolean done = wire.write(keys.iova(), keys.rkey(), PAGE) == WcStatus.SUCCESS;
                    (done ? written : refused).incrementAndGet();
                }
            } catch (final RuntimeException | AssertionError e) {
                failures.add(e);
            }
        });
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    private void awaitWrites() {
        final long before = written.get();
        await(() -> written.get() > before, "writes");
    }

    private void awaitRefusals(final long before) {
        await(() -> refused.get() > before + 1, "refusals");
    }

    private void await(final BooleanSupplier done, final String what) {
        Await.until(() -> what + ": " + written + " written, " + refused + " refused", () -> {
            assertThat(failures).isEmpty();
            return done.getAsBoolean();
        });
    }
}
