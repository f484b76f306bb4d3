/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.av;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.fabric.AddressFormat;
import io.rdma4j.fabric.AvFlag;
import io.rdma4j.fabric.AvInsert;
import io.rdma4j.fabric.AvType;
import io.rdma4j.fabric.EndpointType;
import io.rdma4j.fabric.FabricAddress;
import io.rdma4j.fabric.FiAddr;
import io.rdma4j.testing.Patience;
import io.rdma4j.testing.TestBudget;
import io.rdma4j.verbs.Gid;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Lookups beside changes: each address is a number in all its fields, so that one made of two is seen; and what stays
 * in the vector is found at each moment.
 */
@Timeout(120)
class AvConcurrencyTest {
    private static final int STEADY = 64;
    private static final int CHANGING = 512;
    private static final long NANOS = TestBudget.time(Duration.ofMillis(100), Duration.ofMillis(700)).toNanos();
    /** For a first look; a cold JVM on a busy machine takes its time. */
    private static final long LONGEST_NANOS = Patience.nanos();

    private final AtomicBoolean stop = new AtomicBoolean();
    private final AtomicReference<Throwable> failure = new AtomicReference<>();
    private final AtomicLong looked = new AtomicLong();

    private static FabricAddress address(final long number) {
        return FabricAddress.device(new Gid(~number, number), (int) number & 0xff_ffff, (int) -number,
            EndpointType.RDM);
    }

    private static void assertWhole(final PeerAddress peer) {
        final long number = peer.gidLow();
        assertThat(peer.gidHigh()).isEqualTo(~number);
        assertThat(peer.qpn()).isEqualTo((int) number & 0xff_ffff);
        assertThat(peer.qkey()).isEqualTo((int) -number);
    }

    private Thread start(final Runnable step) {
        final Thread thread = new Thread(() -> {
            try {
                while (!stop.get()) {
                    step.run();
                }
            } catch (final RuntimeException | AssertionError e) {
                failure.compareAndSet(null, e);
                stop.set(true);
            }
        });
        thread.start();
        return thread;
    }

    private void run(final Runnable... steps) throws InterruptedException {
        final List<Thread> threads = new ArrayList<>();
        for (final Runnable step : steps) {
            threads.add(start(step));
        }
        final long end = System.nanoTime() + NANOS;
        while (!stop.get() && System.nanoTime() < (looked.get() > 0 ? end : end + LONGEST_NANOS)) {
            Thread.sleep(5);
        }
        stop.set(true);
        for (final Thread thread : threads) {
            Patience.join(thread);
        }
        if (failure.get() != null) {
            throw new AssertionError("after " + looked + " lookups", failure.get());
        }
        assertThat(looked.get()).isPositive();
    }

    /** Takes addresses out and puts others where they were. */
    private static final class Changer implements Runnable {
        private final FabricAddressVector vector;
        private final long[] names;
        private final SplittableRandom random = new SplittableRandom(1);
        private long number = 1 << 20;

        Changer(final FabricAddressVector vector, final long[] names) {
            this.vector = vector;
            this.names = names;
        }

        @Override
        public void run() {
            final int some = random.nextInt(1, 8);
            final int first = random.nextInt(names.length - some);
            final long[] batch = new long[some];
            final long[] ids = new long[some];
            final FabricAddress[] addresses = new FabricAddress[some];
            for (int i = 0; i < some; i++) {
                batch[i] = names[first + i];
                addresses[i] = address(++number);
                ids[i] = number;
            }
            vector.remove(batch, some, 0);
            vector.insert(addresses, ids, new AvInsert().userIds(true));
            System.arraycopy(ids, 0, names, first, some);
        }
    }

    @ParameterizedTest
    @CsvSource({"TABLE,false", "MAP,false", "TABLE,true", "MAP,true"})
    void lookupsBesideChanges(final AvType type, final boolean symmetric) throws InterruptedException {
        final FabricAddressVector vector =
            symmetric ? new AvRig().open(type, AvFlag.SYMMETRIC) : new AvRig().open(type);
        final long[] steady = new long[STEADY];
        final long[] names = new long[CHANGING];
        for (int i = 0; i < CHANGING; i++) {
            if (i % (CHANGING / STEADY) == 0) {
                steady[i * STEADY / CHANGING] = vector.insert(address(1 + i * STEADY / CHANGING));
            }
            names[i] = vector.insert(address(1_000 + i));
        }
        run(new Changer(vector, names), reader(vector, steady), anyReader(vector, names));
        assertThat(vector.size()).isEqualTo(STEADY + CHANGING);
    }

    private Runnable reader(final FabricAddressVector vector, final long[] steady) {
        final PeerAddress peer = new PeerAddress();
        return () -> {
            for (int i = 0; i < STEADY; i++) {
                final long number = 1 + i;
                assertThat(vector.find(steady[i], peer)).as("address %d is there all the time", i).isTrue();
                assertWhole(peer);
                assertThat(peer.gidLow()).isEqualTo(number);
                assertThat(vector.source(~number, number, (int) number)).isEqualTo(steady[i]);
            }
            looked.addAndGet(STEADY);
        };
    }

    /** Any name, also one that was just removed, and the address of whoever is there. */
    private Runnable anyReader(final FabricAddressVector vector, final long[] names) {
        final PeerAddress peer = new PeerAddress();
        return () -> {
            for (int i = 0; i < CHANGING; i++) {
                if (vector.find(names[i], peer)) {
                    assertWhole(peer);
                    final long number = peer.gidLow();
                    final long source = vector.source(~number, number, (int) number & 0xff_ffff);
                    // Identifiers are numbers here, but for those that came first.
                    assertThat(source == FiAddr.NOTAVAIL || source == number || number < 1 << 20)
                        .as("source of %d is 0x%x", number, source).isTrue();
                }
            }
            looked.addAndGet(CHANGING);
        };
    }

    @Test
    void anAddressThatIsThereTwiceIsFoundAllTheTime() throws InterruptedException {
        final FabricAddressVector vector = new AvRig().open(AvType.MAP);
        final long[] name = {vector.insert(address(5))};
        run(() -> {
            final long next = vector.insert(address(5));
            vector.remove(name, 1, 0);
            name[0] = next;
            final long other = vector.insert(address(6));
            vector.remove(new long[] {other}, 1, 0);
        }, () -> {
            assertThat(vector.nameOf(~5L, 5, 5)).isNotEqualTo(FiAddr.NOTAVAIL);
            looked.incrementAndGet();
        });
    }

    @Test
    void anAddressThatMovesIsWhole() throws InterruptedException {
        final HeapStore store = new HeapStore(AvType.TABLE, AddressFormat.SOCKADDR_IN, 0);
        final AvEntry entry = new AvEntry();
        entry.inserted(AvRig.socket("10.0.0.1", 1));
        entry.device(~1L, 1, 1, -1, 3);
        store.insert(entry);
        final long[] number = {1};
        final PeerAddress peer = new PeerAddress();
        run(() -> {
            final long next = ++number[0];
            entry.device(~next, next, (int) next & 0xff_ffff, (int) -next, 3);
            store.resolved(0, 0, entry);
        }, () -> {
            assertThat(store.find(0, 0, peer)).isTrue();
            assertWhole(peer);
            looked.incrementAndGet();
        });
    }

    @Test
    void writersExcludeEachOther() throws InterruptedException {
        final FabricAddressVector vector = new AvRig().open(AvType.MAP);
        final AtomicLong number = new AtomicLong();
        final Runnable step = () -> {
            final long[] names = new long[20];
            final FabricAddress[] addresses = new FabricAddress[names.length];
            for (int i = 0; i < names.length; i++) {
                addresses[i] = address(number.incrementAndGet());
            }
            assertThat(vector.insert(addresses, names, null)).isEqualTo(names.length);
            for (int i = 0; i < names.length; i++) {
                assertThat(vector.lookup(names[i])).isEqualTo(addresses[i]);
            }
            vector.remove(names, names.length, 0);
            looked.incrementAndGet();
        };
        run(step, step, step);
        assertThat(vector.size()).isZero();
    }
}
