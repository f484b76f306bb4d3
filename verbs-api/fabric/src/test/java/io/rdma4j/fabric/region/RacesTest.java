/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.region;

import static io.rdma4j.fabric.region.Domains.PAGE;
import static io.rdma4j.fabric.region.Domains.remote;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.fabric.Domain;
import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.MemoryRegion;
import io.rdma4j.fabric.MrMode;
import io.rdma4j.testing.Patience;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;

/** Several threads in one domain. */
@Timeout(120)
class RacesTest {
    private static final int THREADS = 4;
    private static final int ROUNDS = 400;

    @RegisterExtension
    final Domains domains = new Domains();

    private final ByteBuffer buffer = ByteBuffer.allocateDirect(PAGE);
    private final List<Throwable> failures = Collections.synchronizedList(new ArrayList<>());

    /** What a thread does. */
    private interface Work {
        void run(int thread) throws InterruptedException;
    }

    private void runAll(final Work work) throws InterruptedException {
        final List<Thread> threads = new ArrayList<>();
        for (int t = 0; t < THREADS; t++) {
            final int number = t;
            final Thread thread = new Thread(() -> {
                try {
                    work.run(number);
                } catch (final InterruptedException | RuntimeException | AssertionError e) {
                    failures.add(e);
                }
            });
            thread.setDaemon(true);
            threads.add(thread);
            thread.start();
        }
        for (final Thread thread : threads) {
            Patience.join(thread);
        }
        assertThat(failures).isEmpty();
    }

    /** Few keys, so that threads meet at them: at each time one region has a key, and the others are told so. */
    @Test
    void aKeyBelongsToOneRegionAtATime() throws InterruptedException {
        final Domain domain = domains.open();
        final Set<Long> owned = ConcurrentHashMap.newKeySet();
        final AtomicInteger taken = new AtomicInteger();
        final AtomicInteger refused = new AtomicInteger();
        runAll(thread -> {
            for (int i = 0; i < ROUNDS; i++) {
                final long key = ThreadLocalRandom.current().nextInt(3);
                try {
                    final MemoryRegion region = domain.register(remote(buffer, key));
                    assertThat(owned.add(key)).as("second owner of key %d", key).isTrue();
                    taken.incrementAndGet();
                    owned.remove(key);
                    region.close();
                } catch (final FabricException e) {
                    assertThat(e.errno()).as(e.getMessage()).isEqualTo(FiErrno.FI_ENOKEY);
                    refused.incrementAndGet();
                }
            }
        });
        assertThat(taken.get() + refused.get()).isEqualTo(THREADS * ROUNDS);
        for (long key = 0; key < 3; key++) {
            domain.register(remote(buffer, key)).close();
        }
    }

    @Test
    void theDirectoryHasWhatIsOpen() throws InterruptedException {
        final Domain domain = domains.open();
        final KeyDirectory directory = Domains.regionsOf(domain).defaultRealm().directory();
        runAll(thread -> {
            for (int i = 0; i < ROUNDS; i++) {
                final long key = 1_000L * thread + i;
                final MemoryRegion region = domain.register(remote(buffer, key));
                assertThat(directory.read(key)).as("key %d", key).isNotNull();
                region.close();
                assertThat(directory.read(key)).as("key %d", key).isNull();
            }
        });
        for (int offset = 0; offset < directory.table().capacity(); offset += DirectoryLayout.ENTRY_LENGTH) {
            assertThat(DirectoryLayout.state(directory.table(), offset)).isEqualTo(DirectoryLayout.FREE);
        }
    }

    /** Who returns from close may rely on it, whoever did the work. */
    @Test
    void threadsThatCloseOneRegionAllWaitForItsEnd() throws InterruptedException {
        final Domain domain = domains.open();
        for (int round = 0; round < 50; round++) {
            final String before = Domains.objects(domains.context());
            final MemoryRegion region = domain.register(remote(buffer, 1));
            final CountDownLatch start = new CountDownLatch(1);
            start.countDown();
            runAll(thread -> {
                start.await();
                region.close();
                assertThat(Domains.objects(domains.context())).isEqualTo(before);
            });
        }
    }

    /** Many control operations at once on few regions: each is done or refused by its rule, and all can be closed. */
    @Test
    void controlOperationsOnOneRegionGoOneAtATime() throws InterruptedException {
        final Domain domain = domains.open(hints -> hints.mrMode(MrMode.MMU_NOTIFY).demand(MrMode.MMU_NOTIFY));
        final MemoryRegion region = domain.register(remote(buffer, 1));
        runAll(thread -> {
            for (int i = 0; i < 50; i++) {
                if (thread == 0) {
                    region.isEnabled();
                    region.key();
                    assert region.toString() != null;
                } else {
                    region.refresh();
                }
            }
        });
        assertThat(region.isEnabled()).isTrue();
        region.close();
    }

    @Test
    void aDomainIsClosedBetweenRegistrationsOrRefused() throws InterruptedException {
        for (int round = 0; round < 30; round++) {
            final Domain domain = domains.open();
            runAll(thread -> {
                for (int i = 0; i < 20; i++) {
                    closeOrRegister(domain, thread);
                }
            });
            domain.close();
        }
    }

    private void closeOrRegister(final Domain domain, final int thread) {
        try {
            if (thread == 0) {
                domain.close();
            } else {
                domain.register(remote(buffer, thread)).close();
            }
        } catch (final FabricException e) {
            assertThat(e.errno()).as(e.getMessage()).isIn(FiErrno.FI_EBUSY, FiErrno.FI_EBADFD);
        }
    }
}
