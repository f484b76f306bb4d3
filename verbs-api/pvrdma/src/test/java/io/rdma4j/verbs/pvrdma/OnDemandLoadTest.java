/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import static io.rdma4j.verbs.AccessFlag.LOCAL_WRITE;
import static io.rdma4j.verbs.AccessFlag.ON_DEMAND;
import static io.rdma4j.verbs.AccessFlag.REMOTE_ATOMIC;
import static io.rdma4j.verbs.AccessFlag.REMOTE_READ;
import static io.rdma4j.verbs.AccessFlag.REMOTE_WRITE;
import static io.rdma4j.verbs.pvrdma.Range.PAGE;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.driver.libc.Libc;
import io.rdma4j.driver.libc.LibcConstants;
import io.rdma4j.testing.Patience;
import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.WcStatus;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Pages that come and go under the traffic of several queue pairs. What is to be seen is that the process lives, that
 * nothing but the proper statuses comes, and that bytes are those of the last transfer or of a fresh page.
 */
@Timeout(120)
class OnDemandLoadTest {
    private static final AccessFlag[] ALL = {LOCAL_WRITE, REMOTE_WRITE, REMOTE_READ, REMOTE_ATOMIC, ON_DEMAND};
    private static final int WORKERS = 4;
    private static final int PAGES_EACH = 4;
    /** Behind it, in a page of its own, is the word for atomics. */
    private static final int LENGTH = (PAGES_EACH - 1) * PAGE - 100;
    private static final Set<WcStatus> EXPECTED = EnumSet.of(WcStatus.SUCCESS, WcStatus.REM_ACCESS_ERR);
    private static final long NANOS = TimeUnit.SECONDS.toNanos(3);

    @RegisterExtension
    final Devices devices = new Devices();
    @RegisterExtension
    final Crew crew = new Crew();

    /** One pair of QPs and the pages that it alone transfers to and from. */
    private final class Worker {
        private final MemoryRegion region;
        private final Reach reach;
        private final long first;
        private final Random random;
        private final Map<WcStatus, Integer> seen = new EnumMap<>(WcStatus.class);

        Worker(final PvrdmaContext device, final ProtectionDomain pd, final MemoryRegion region,
            final int number) {
            this.region = region;
            this.reach = new Reach(device, pd);
            this.first = (long) number * PAGES_EACH * PAGE + 100;
            this.random = new Random(number);
        }

        private boolean came(final WcStatus status, final WcStatus failure) {
            assertThat(status).isIn(WcStatus.SUCCESS, failure);
            seen.merge(status, 1, Integer::sum);
            return status == WcStatus.SUCCESS;
        }

        /** Until the time is over, and longer where nobody has come to take a page away, or to give one. */
        void run() {
            final long begun = System.nanoTime();
            final long longest = Patience.nanos();
            for (int seed = 1; !crew.hasFailed(); seed++) {
                step(seed);
                final long took = System.nanoTime() - begun;
                if (took > NANOS && seen.keySet().containsAll(EXPECTED) || took > longest) {
                    break;
                }
            }
        }

        private void step(final int seed) {
            final long at = region.iova() + first;
            final int length = 1 + random.nextInt(LENGTH);
            final boolean placed = switch (random.nextInt(3)) {
                case 0 -> came(reach.write(at, region.rkey(), length, seed), WcStatus.REM_ACCESS_ERR);
                case 1 -> came(reach.sendInto(at, length, region.lkey(), seed), WcStatus.LOC_PROT_ERR);
                default -> came(reach.readInto(at, length, region.lkey(), seed), WcStatus.LOC_PROT_ERR);
            };
            final boolean fetched = random.nextBoolean()
                ? came(reach.read(at, region.rkey(), length), WcStatus.REM_ACCESS_ERR)
                : came(reach.send(at, length, region.lkey()), WcStatus.LOC_PROT_ERR);
            if (placed && fetched) {
                for (int i = 0; i < length; i++) {
                    assertThat(reach.peer.bytes.getByte(i)).as("byte %d of %d", i, length)
                        .isIn((byte) 0, Peer.pattern(i, seed));
                }
            }
            came(reach.fetchAdd(region.iova() + first + LENGTH, region.rkey(), 1), WcStatus.REM_ACCESS_ERR);
        }

        @Override
        public String toString() {
            return seen.toString();
        }
    }

    private void disturb(final Range range, final AtomicBoolean done) {
        final Random random = new Random(99);
        while (!done.get() && !crew.hasFailed()) {
            final int page = random.nextInt(WORKERS * PAGES_EACH);
            switch (random.nextInt(5)) {
                case 0 -> range.unmap(page, 1);
                case 1 -> range.map(page, 1, LibcConstants.PROT_READ);
                case 2 -> Libc.madvise(range.at((long) page * PAGE), PAGE, LibcConstants.MADV_DONTNEED);
                default -> range.map(page, 1);
            }
            range.map(random.nextInt(WORKERS * PAGES_EACH), 1);
            Thread.yield();
        }
    }

    @Test
    void pagesComeAndGoUnderTraffic() throws InterruptedException {
        final PvrdmaContext device = devices.open();
        final ProtectionDomain pd = device.allocatePd();
        try (Range range = Range.of(WORKERS * PAGES_EACH)) {
            final MemoryRegion region = pd.register(range.address, range.length, ALL);
            final AtomicBoolean done = new AtomicBoolean();
            final Worker[] workers = new Worker[WORKERS];
            final Thread[] threads = new Thread[WORKERS];
            for (int i = 0; i < WORKERS; i++) {
                final Worker worker = new Worker(device, pd, region, i);
                workers[i] = worker;
                threads[i] = crew.start(worker::run);
            }
            crew.start(() -> disturb(range, done));
            for (final Thread thread : threads) {
                thread.join(2 * Patience.millis());
            }
            done.set(true);
            crew.join();
            for (final Worker worker : workers) {
                assertThat(worker.seen.keySet()).as("%s", worker).containsAll(EXPECTED);
            }
            range.map(0, WORKERS * PAGES_EACH);
            assertThat(workers[0].reach.write(region.iova(), region.rkey(), 100, 1)).isEqualTo(WcStatus.SUCCESS);
            assertThat(range.firstDifference(0, 100, 1)).isEqualTo(-1);
            region.close();
        }
    }

    /** Each addition counts, also through two regions over the same addresses and two devices. */
    @Test
    void atomicsAreAtomicAmongEachOther() throws InterruptedException {
        final int rounds = 2000;
        final PvrdmaContext[] contexts = {devices.open(), devices.open()};
        try (Range range = Range.of(1)) {
            for (int i = 0; i < WORKERS; i++) {
                final ProtectionDomain pd = contexts[i & 1].allocatePd();
                final MemoryRegion region = pd.register(range.address, PAGE, ALL);
                final Reach reach = new Reach(contexts[i & 1], pd);
                crew.start(() -> {
                    for (int round = 0; round < rounds; round++) {
                        assertThat(reach.fetchAdd(region.iova() + 16, region.rkey(), 1)).isEqualTo(WcStatus.SUCCESS);
                    }
                });
            }
            crew.join();
            assertThat(range.bytes(16, 8).getLong(0)).isEqualTo((long) WORKERS * rounds);
            for (final PvrdmaContext context : contexts) {
                context.close();
            }
        }
    }
}
