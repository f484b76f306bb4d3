/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.conformance;

import static io.rdma4j.driver.libc.LibcConstants.MADV_DONTNEED;
import static io.rdma4j.driver.libc.LibcConstants.MAP_ANONYMOUS;
import static io.rdma4j.driver.libc.LibcConstants.MAP_FIXED;
import static io.rdma4j.driver.libc.LibcConstants.MAP_FIXED_NOREPLACE;
import static io.rdma4j.driver.libc.LibcConstants.MAP_PRIVATE;
import static io.rdma4j.driver.libc.LibcConstants.MAP_SHARED;
import static io.rdma4j.driver.libc.LibcConstants.PROT_READ;
import static io.rdma4j.driver.libc.LibcConstants.PROT_WRITE;

import io.rdma4j.RdmaException;
import io.rdma4j.driver.libc.Fd;
import io.rdma4j.driver.libc.Libc;
import io.rdma4j.driver.libc.MappedMemory;
import io.rdma4j.driver.memory.MappingWatch;
import io.rdma4j.fabric.CachedRegion;
import io.rdma4j.fabric.MrAccess;
import io.rdma4j.fabric.OperationKind;
import io.rdma4j.fabric.RegistrationCache;
import io.rdma4j.verbs.AccessFlag;

import org.agrona.BufferUtil;
import org.agrona.concurrent.UnsafeBuffer;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * The registration cache under memory that changes: what is sent is what is there now, never what was there when the
 * region was registered. {@value #SECONDS} says how long each kind of change is repeated, for longer searches.
 */
final class FabricCacheCases {
    static final String SECONDS = "rdma4j.conformance.stale.seconds";

    private static final int PAGE = 4096;
    private static final int LENGTH = 4 * PAGE;
    private static final long GAP = 1 << 20;
    private static final int ROUNDS = 8;
    private static final int MOST_OTHERS = 50;
    private static final int THREADS = 4;
    private static final long JOIN_MILLIS = 30_000;
    private static final int READ_WRITE = PROT_READ | PROT_WRITE;
    private static final int ANONYMOUS = MAP_PRIVATE | MAP_ANONYMOUS;

    private FabricCacheCases() {
    }

    static List<ConformanceCase> cases() {
        return List.of(
            ConformanceCase.of("fabric.cacheGivesRegionsThatCover", FabricCacheCases::covers),
            stale("fabric.cacheSendsWhatIsThereAfterUnmapAndMap", FabricCacheCases::unmapped),
            stale("fabric.cacheReceivesIntoWhatIsThereAfterUnmapAndMap", FabricCacheCases::receivedAfterUnmap),
            stale("fabric.cacheSendsWhatIsThereAfterMapOverIt", FabricCacheCases::mappedOver),
            stale("fabric.cacheSendsWhatIsThereAfterMadvise", FabricCacheCases::advised),
            stale("fabric.cacheSendsWhatIsThereAfterAFileWasCutOff", FabricCacheCases::cutOff),
            stale("fabric.cacheSendsWhatIsThereWhileAnotherThreadUnmaps", FabricCacheCases::unmappedElsewhere),
            stale("fabric.cacheSendsWhatIsThereInFreedAndNewBuffers", FabricCacheCases::freed),
            stale("fabric.cacheLivesWithThreadsThatMapAndUnmap", FabricCacheCases::otherThreads),
            stale("fabric.cacheIsRightForThreadsThatGetEachOthersAddresses", FabricCacheCases::manyThreads));
    }

    private static ConformanceCase stale(final String name, final ConformanceCase.Body body) {
        return ConformanceCase.of(name, body).needsAnyMemory()
            .within(Duration.ofSeconds(40).plus(Duration.ofSeconds(Long.getLong(SECONDS, 0))));
    }

    private static long end(final ConformanceEnv env) {
        return System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(
            Long.getLong(SECONDS) == null ? env.times(100, 500) : TimeUnit.SECONDS.toMillis(Long.getLong(SECONDS)));
    }

    /** Random ranges; what is given out covers each, and is the same for what it covers. */
    private static void covers(final ConformanceEnv env) {
        final FabricPair pair = FabricPair.messages(env);
        final RegistrationCache cache = pair.near().domain().cache();
        final FabricMemory memory = pair.near().memory(64 * PAGE);
        final int local = AccessFlag.LOCAL_WRITE.bit();
        for (int i = 0; i < env.times(50, 400); i++) {
            final int start = env.random().nextInt(63 * PAGE);
            final int length = 1 + env.random().nextInt(64 * PAGE - start - 1);
            final CachedRegion region = cache.acquire(memory.at(start), length, env.random().nextBoolean() ? local : 0);
            Check.equal(length - 1L, region.deviceAddress(memory.at(start + length - 1))
                - region.deviceAddress(memory.at(start)), "distance of the ends of %d bytes at %d", length, start);
            region.release();
        }
        pair.send(memory, 5, pair.farMemory(PAGE), 70, 100);
    }

    /** The address at which memory comes and goes. */
    private static final class Spot implements AutoCloseable {
        private MappedMemory mapped = apart();
        private Thread unmapper = new Thread();

        /** With nothing of the JVM's right below, in which something may look like a block of malloc. */
        private static MappedMemory apart() {
            final long reserved = Libc.mmap(0, LENGTH + 2 * GAP, READ_WRITE, ANONYMOUS, -1, 0);
            Libc.munmap(reserved, LENGTH + 2 * GAP);
            try {
                return MappedMemory.map(reserved + GAP, LENGTH, READ_WRITE, ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
            } catch (final RdmaException e) {
                return MappedMemory.anonymous(LENGTH);
            }
        }

        long address() {
            return mapped.address();
        }

        UnsafeBuffer buffer() {
            return new UnsafeBuffer(mapped.address(), LENGTH);
        }

        /** Other pages at the same address, or at another one if a thread of the JVM was faster. */
        void unmapAndMap() {
            final long address = mapped.address();
            mapped.close();
            try {
                mapped = MappedMemory.map(address, LENGTH, READ_WRITE, ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
            } catch (final RdmaException e) {
                mapped = MappedMemory.anonymous(LENGTH);
            }
        }

        /** Another thread is perhaps still in munmap when this one has got its addresses from mmap. */
        void unmapElsewhere() {
            join();
            final long address = mapped.address();
            unmapper = new Thread(mapped::close, "fabric.cache unmapper");
            unmapper.setDaemon(true);
            unmapper.start();
            final List<MappedMemory> others = new ArrayList<>();
            while (true) {
                final boolean last = !unmapper.isAlive() || others.size() == MOST_OTHERS;
                mapped = MappedMemory.anonymous(LENGTH);
                if (last || mapped.address() == address) {
                    break;
                }
                others.add(mapped);
            }
            others.forEach(MappedMemory::close);
        }

        private void join() {
            try {
                unmapper.join(JOIN_MILLIS);
            } catch (final InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            Check.that(!unmapper.isAlive(), "munmap in another thread does not end");
        }

        void mapOver() {
            Libc.mmap(mapped.address(), LENGTH, READ_WRITE, ANONYMOUS | MAP_FIXED, -1, 0);
        }

        /** Where the IOMMU does not pin, memory is locked in place of that. */
        void dropPages() {
            try {
                Libc.madvise(mapped.address(), LENGTH, MADV_DONTNEED);
            } catch (final RdmaException e) {
                if (e.errno() != RdmaException.EINVAL) {
                    throw e;
                }
                throw new CaseSkipped("memory that this device reaches is locked, and the kernel does not empty locked "
                    + "memory (madvise: EINVAL)");
            }
        }

        @Override
        public void close() {
            join();
            mapped.close();
        }
    }

    private static void fill(final UnsafeBuffer buffer, final int seed) {
        buffer.putBytes(0, Memory.patternOf(seed, buffer.capacity()));
    }

    private static void send(
        final ConformanceEnv env, final FabricPair pair, final UnsafeBuffer from, final FabricMemory to,
        final int seed) {
        send(env, pair.near(), pair.far(), from, to, seed);
    }

    private static void send(
        final ConformanceEnv env, final FabricSide near, final FabricSide far, final UnsafeBuffer from,
        final FabricMemory to, final int seed) {
        fill(from, seed);
        final int length = from.capacity();
        far.post(() -> far.endpoint().receive(to.at(0), length, to.region(), 1), "receive");
        near.post(() -> near.endpoint().send(from.addressOffset(), length, null, 2), "send");
        near.next().expect(2, OperationKind.SEND);
        far.next().expect(1, OperationKind.RECEIVE).expectLength(length);
        to.expectPattern(seed, 0, length, "stale data? message " + seed + " from 0x"
            + Long.toHexString(from.addressOffset()));
        env.moved(length);
    }

    /** Sends twice from the same pages, so that the second finds the region of the first; then the pages change. */
    private static void changing(final ConformanceEnv env, final Consumer<Spot> change) {
        final FabricPair pair = FabricPair.messages(env);
        final FabricMemory to = pair.farMemory(LENGTH);
        final Spot spot = env.own(new Spot());
        final long end = end(env);
        int seed = 0;
        do {
            send(env, pair, spot.buffer(), to, seed++);
            send(env, pair, spot.buffer(), to, seed++);
            change.accept(spot);
        } while (System.nanoTime() - end < 0 || seed < ROUNDS);
        expectHits(pair);
    }

    /** Where memory is watched it has to be found again: what is registered each time can never be stale. */
    private static void expectHits(final FabricPair pair) {
        final RegistrationCache cache = pair.near().domain().cache();
        try (MappingWatch watch = MappingWatch.open()) {
            Check.that(cache.statistics().hits() > 0 || !watch.available() || !cache.isEnabled(),
                "nothing was found in the cache: %s", cache.statistics());
        }
    }

    private static void unmapped(final ConformanceEnv env) {
        changing(env, Spot::unmapAndMap);
    }

    private static void mappedOver(final ConformanceEnv env) {
        changing(env, Spot::mapOver);
    }

    private static void advised(final ConformanceEnv env) {
        changing(env, Spot::dropPages);
    }

    /** The mapping stays, and other pages come to lie behind it when the file grows again. */
    private static void cutOff(final ConformanceEnv env) {
        final FabricPair pair = FabricPair.messages(env);
        final FabricMemory to = pair.farMemory(LENGTH);
        try (Fd file = Fd.of(Libc.memfdCreate("conformance", 0), "memfd")) {
            Libc.ftruncate(file.fd(), LENGTH);
            final MappedMemory mapped = env.own(MappedMemory.map(0, LENGTH, READ_WRITE, MAP_SHARED, file.fd(), 0));
            final UnsafeBuffer buffer = new UnsafeBuffer(mapped.address(), LENGTH);
            final long end = end(env);
            int seed = 0;
            do {
                send(env, pair, buffer, to, seed++);
                send(env, pair, buffer, to, seed++);
                Libc.ftruncate(file.fd(), 0);
                Libc.ftruncate(file.fd(), LENGTH);
            } while (System.nanoTime() - end < 0 || seed < ROUNDS);
        }
    }

    private static void unmappedElsewhere(final ConformanceEnv env) {
        changing(env, Spot::unmapElsewhere);
    }

    private static void receivedAfterUnmap(final ConformanceEnv env) {
        final FabricPair pair = FabricPair.messages(env);
        final FabricMemory from = pair.farMemory(LENGTH);
        final Spot spot = env.own(new Spot());
        final long end = end(env);
        int seed = 0;
        do {
            receive(env, pair, spot, from, seed++);
            receive(env, pair, spot, from, seed++);
            spot.unmapAndMap();
        } while (System.nanoTime() - end < 0 || seed < ROUNDS);
        expectHits(pair);
    }

    private static void receive(
        final ConformanceEnv env, final FabricPair pair, final Spot spot, final FabricMemory from, final int seed) {
        final long at = spot.address();
        from.fill(seed, 0, LENGTH);
        pair.near().post(() -> pair.near().endpoint().receive(at, LENGTH, null, 1), "receive");
        pair.far().post(() -> pair.far().endpoint().send(from.at(0), LENGTH, from.region(), 2), "send");
        pair.far().next().expect(2, OperationKind.SEND);
        pair.near().next().expect(1, OperationKind.RECEIVE);
        Memory.expectPattern(spot.buffer(), seed, 0, LENGTH, "stale page? received in round " + seed);
        env.moved(LENGTH);
    }

    /** Buffers that are freed and allocated again are often at the same address, and some share pages. */
    private static void freed(final ConformanceEnv env) {
        final FabricPair pair = FabricPair.messages(env);
        final FabricMemory to = pair.farMemory(64 * PAGE);
        final long end = end(env);
        int seed = 0;
        do {
            final int length = env.random().nextBoolean() ? 64 * PAGE : 1 + env.random().nextInt(2 * PAGE);
            final ByteBuffer buffer = ByteBuffer.allocateDirect(length);
            send(env, pair, new UnsafeBuffer(buffer), to, seed++);
            BufferUtil.free(buffer);
        } while (System.nanoTime() - end < 0 || seed < ROUNDS);
    }

    private static void otherThreads(final ConformanceEnv env) throws Exception {
        final FabricPair pair = FabricPair.messages(env);
        final FabricMemory to = pair.farMemory(LENGTH);
        final FabricMemory stays = pair.near().memory(LENGTH);
        final AtomicBoolean over = new AtomicBoolean();
        final CountDownLatch mapped = new CountDownLatch(1);
        final FutureTask<Integer> mapper = new FutureTask<>(() -> {
            int rounds = 0;
            while (!over.get()) {
                try (Spot spot = new Spot()) {
                    spot.buffer().putInt(0, rounds++);
                }
                mapped.countDown();
            }
            return rounds;
        });
        final Thread thread = new Thread(mapper, "fabric.cache mapper");
        thread.setDaemon(true);
        thread.start();
        try {
            final Spot spot = env.own(new Spot());
            final long patience = env.patience(Duration.ofSeconds(8)).toMillis();
            Check.that(mapped.await(patience, TimeUnit.MILLISECONDS), "the other thread does nothing");
            final long end = end(env);
            int seed = 0;
            do {
                send(env, pair, new UnsafeBuffer(stays.at(0), LENGTH), to, seed++);
                send(env, pair, spot.buffer(), to, seed++);
                spot.unmapAndMap();
            } while (System.nanoTime() - end < 0 || seed < ROUNDS);
        } finally {
            over.set(true);
        }
        mapper.get(env.patience(Duration.ofSeconds(8)).toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Each thread maps, sends and unmaps memory of its own; what one has unmapped another one soon gets. */
    private static void manyThreads(final ConformanceEnv env) throws Exception {
        final FabricPair pair = FabricPair.messages(env);
        final List<FutureTask<Integer>> senders = new ArrayList<>();
        final long end = end(env);
        for (int i = 0; i < THREADS; i++) {
            final FabricSide near = FabricSide.of(env, pair.near().domain());
            final FabricSide far = FabricSide.of(env, pair.far().domain());
            near.connect(far);
            final FabricMemory to = far.memory(LENGTH, 0, MrAccess.RECV);
            final int first = i * 1_000_000;
            senders.add(new FutureTask<>(() -> {
                int seed = first;
                do {
                    try (Spot spot = new Spot()) {
                        send(env, near, far, spot.buffer(), to, seed++);
                    }
                } while (System.nanoTime() - end < 0 || seed < first + ROUNDS);
                return seed - first;
            }));
        }
        senders.forEach(sender -> {
            final Thread thread = new Thread(sender, "fabric.cache sender");
            thread.setDaemon(true);
            thread.start();
        });
        for (final FutureTask<Integer> sender : senders) {
            Check.that(sender.get(env.patience(Duration.ofSeconds(30)).plusSeconds(Long.getLong(SECONDS, 0))
                .toMillis(), TimeUnit.MILLISECONDS) >= ROUNDS, "a thread did too little");
        }
    }
}
