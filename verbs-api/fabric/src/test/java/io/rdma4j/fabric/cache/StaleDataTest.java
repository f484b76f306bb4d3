/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rdma4j.fabric.CacheAttributes;
import io.rdma4j.fabric.testing.Await;
import io.rdma4j.testing.TestBudget;
import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.PinnedMemory;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.QpConnector;
import io.rdma4j.verbs.QpOptions;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.RdmaContext;
import io.rdma4j.verbs.RdmaDevices;
import io.rdma4j.verbs.ReceiveRequest;
import io.rdma4j.verbs.ReturnCode;
import io.rdma4j.verbs.SendOpcode;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.WcStatus;
import java.time.Duration;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.SplittableRandom;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Memory is mapped, sent from, and mapped anew at the same addresses, again and again, with the monitor userfaultfd.
 * The emulated device reads by address, and would not send what an old page holds. So besides the bytes it is looked
 * at what cannot be right by chance: a region that is found must have been registered after the addresses got their
 * present pages; and the pages must be locked, as the device locks what it registers and the kernel forgets locks of
 * what is unmapped. Longer:
 * {@code -Drdma4j.tests.long=true -Drdma4j.stale.seconds=600}.
 */
@Timeout(3600)
class StaleDataTest {
    private static final Duration TIME = TestBudget.time(Duration.ofMillis(400),
        Duration.ofSeconds(Long.getLong("rdma4j.stale.seconds", 4)));
    /** On a busy machine a while may be over before there was anything to see; it goes on until there was. */
    private static final Duration LONGEST = TIME.plusSeconds(60);
    private static final int ENOUGH = 10;
    private static final int LENGTH = 16 * Bench.PAGE;
    private static final int LOOK_AT_LOCKS_EVERY = 64;

    @BeforeEach
    void userfaultfdIsThere() {
        assumeTrue(UserfaultMonitor.isAvailable(), "no userfaultfd here: memory without an owner is never kept");
    }

    /** Locked memory cannot be given up with madvise. */
    @ParameterizedTest
    @CsvSource({"true, 3", "false, 4"})
    void whatIsMappedAnewIsRegisteredAnew(final boolean locks, final int ways) {
        try (Mapping mapping = new Mapping(LENGTH);
            RdmaContext context = RdmaDevices.open("emulated:stale?mlock=" + locks);
            ProtectionDomain pd = context.allocatePd();
            Loop loop = new Loop(context, pd)) {
            final RegionCache cache = cache(pd);
            new Changes(mapping, cache, loop, locks, ways).run();
            cache.close();
            assertThat(mapping.lockedKib()).as("locked after all was deregistered").isZero();
        }
    }

    private static RegionCache cache(final ProtectionDomain pd) {
        // Regions on demand are of addresses, and there would be nothing to see.
        return new RegionCache(pd, new CacheSettings(name -> null, name -> null,
            new CacheAttributes().monitor("userfaultfd")), new Adoptions(), () -> false);
    }

    /** What is done with the memory. */
    private static final class Changes {
        private final Mapping mapping;
        private final RegionCache cache;
        private final Loop loop;
        private final SplittableRandom random = new SplittableRandom(59);
        /** In which generation of the mapping an entry was seen first. */
        private final Map<Entry, Integer> firstSeen = new IdentityHashMap<>();
        private final boolean locks;
        private final int ways;
        private int generation;

        Changes(
            final Mapping mapping, final RegionCache cache, final Loop loop, final boolean locks, final int ways) {
            this.mapping = mapping;
            this.cache = cache;
            this.loop = loop;
            this.locks = locks;
            this.ways = ways;
        }

        void run() {
            UnsafeBuffer memory = mapping.map();
            final long start = System.nanoTime();
            while (System.nanoTime() - start < (hasSeenAll() ? TIME : LONGEST).toNanos()) {
                fill(memory);
                for (int i = 2 + random.nextInt(4); i > 0; i--) {
                    send(memory);
                }
                memory = mapping.renew(random.nextInt(ways));
                generation++;
                firstSeen.keySet().removeIf(entry -> entry.region().isClosed());
            }
            assertThat(generation).as("%s", cache).isGreaterThan(ENOUGH);
            assertThat(cache.statistics().hits()).as("found again: %s", cache).isPositive();
            assertThat(cache.statistics().invalidations()).as("%s", cache).isPositive();
        }

        private boolean hasSeenAll() {
            return generation > ENOUGH && cache.statistics().hits() > 0 && cache.statistics().invalidations() > 0;
        }

        private void fill(final UnsafeBuffer memory) {
            for (int at = 0; at < LENGTH; at += Long.BYTES) {
                memory.putLong(at, (long) generation << 32 | at);
            }
        }

        private void send(final UnsafeBuffer memory) {
            final int from = random.nextInt(4) == 0 ? Long.BYTES * random.nextInt(LENGTH / Long.BYTES / 2) : 0;
            final int length = LENGTH - from;
            final Entry entry = (Entry) cache.acquire(mapping.address + from, length, 0);
            final Integer seen = firstSeen.putIfAbsent(entry, generation);
            assertThat(seen == null ? generation : seen).as("%s was registered for other pages; %s", entry, cache)
                .isEqualTo(generation);
            if (locks && generation % LOOK_AT_LOCKS_EVERY == 0) {
                assertThat(mapping.lockedKib() * 1024).as("bytes locked, of %d that are registered", length)
                    .isGreaterThanOrEqualTo(length & -Bench.PAGE);
            }
            loop.send(entry.deviceAddress(mapping.address + from), length, entry.lkey());
            for (int at = 0; at < length; at += 512) {
                assertThat(loop.received.getLong(at)).as("what arrived, %d bytes from %d", at, from)
                    .isEqualTo(memory.getLong(from + at)).isEqualTo((long) generation << 32 | from + at);
            }
            entry.release();
        }
    }

    /** Two QPs of one device. */
    private static final class Loop implements AutoCloseable {
        final UnsafeBuffer received;
        private final CompletionQueue cq;
        private final PinnedMemory target;
        private final MemoryRegion region;
        private final QueuePair near;
        private final QueuePair far;

        Loop(final RdmaContext context, final ProtectionDomain pd) {
            cq = context.createCq(1024);
            target = context.allocate(LENGTH);
            received = target.buffer();
            region = pd.register(target, AccessFlag.LOCAL_WRITE);
            near = pd.createQp(new QpOptions().cq(cq));
            far = pd.createQp(new QpOptions().cq(cq));
            QpConnector.connect(near, far.localAddress());
            QpConnector.connect(far, near.localAddress());
        }

        void send(final long address, final int length, final int lkey) {
            assertThat(far.postReceive(new ReceiveRequest(1).addSge(target.address(), LENGTH, region.lkey())))
                .isEqualTo(ReturnCode.OK);
            assertThat(near.postSend(new SendRequest(1).opcode(SendOpcode.SEND).addSge(address, length, lkey)))
                .isEqualTo(ReturnCode.OK);
            final int[] completed = new int[1];
            Await.until(near::toString, () -> {
                completed[0] += cq.poll(completion ->
                    assertThat(completion.status()).isEqualTo(WcStatus.SUCCESS), 2);
                return completed[0] == 2;
            });
        }

        @Override
        public void close() {
            near.close();
            far.close();
            region.close();
            target.close();
            cq.close();
        }
    }
}
