/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.driver.memory;

import io.rdma4j.driver.libc.Libc;
import io.rdma4j.driver.libc.LibcConstants;
import io.rdma4j.testing.TestBudget;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import org.agrona.BufferUtil;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * What {@link MappingHangTest} runs in a JVM of its own, because a JVM that hangs at a safepoint can do nothing about
 * it: memory of the JVM comes and goes, also by threads that a safepoint waits for, all of it is tried to be watched,
 * and other threads change what is watched. Prints what it did.
 */
public final class MappingHangMain {
    private static final long RUN_NANOS = TestBudget.time(Duration.ofMillis(400), Duration.ofSeconds(3)).toNanos();
    private static final int PAGE = 4096;
    private static final int SOME = 20;
    private static final int[] SIZES = {64, 10_000, 200_000, 1 << 20, 40 << 20};
    private static final int BIG = 100 << 20;
    private static final int DEEP = 80 << 20;

    private final MappingWatch watch = MappingWatch.open();
    private final long end = System.nanoTime() + RUN_NANOS;
    private final AtomicLong collections = new AtomicLong();
    private final AtomicLong refused = new AtomicLong();
    private final AtomicLong wrongly = new AtomicLong();
    private final AtomicLong bigBlocks = new AtomicLong();
    private final AtomicLong told = new AtomicLong();
    private final AtomicLong failed = new AtomicLong();

    private MappingHangMain() {
    }

    /** Arguments: none. */
    public static void main(final String[] args) throws InterruptedException {
        new MappingHangMain().run();
        leaveSomethingWatched();
    }

    /** The end of the JVM ends the watch, too: what code of others unmaps after that does not wait for us. */
    private static void leaveSomethingWatched() {
        final long address = Libc.mmap(0, PAGE, LibcConstants.PROT_READ | LibcConstants.PROT_WRITE,
            LibcConstants.MAP_PRIVATE | LibcConstants.MAP_ANONYMOUS, -1, 0);
        final MappingGuard guard = MappingWatch.open().watch(address, PAGE,
            (changed, from, to) -> System.out.println("ended at exit"));
        System.out.println("left watched " + guard.intact());
    }

    private void run() throws InterruptedException {
        final List<Thread> threads = new ArrayList<>();
        start(threads, this::collect);
        for (int i = 0; i < 2; i++) {
            start(threads, this::buffer);
            start(threads, this::mapping);
        }
        start(threads, this::bigNeighbours);
        start(threads, MappingHangMain::shortLivedThread);
        for (final Thread thread : threads) {
            thread.join();
        }
        System.out.printf("available %s, collections %d, refused %d, big blocks %d, wrongly watched %d, told %d, "
            + "failed %d%n", watch.available(), collections.get(), refused.get(), bigBlocks.get(), wrongly.get(),
            told.get(), failed.get());
        watch.close();
    }

    private void start(final List<Thread> threads, final Runnable step) {
        final Thread thread = new Thread(() -> {
            try {
                while (goesOn()) {
                    step.run();
                }
            } catch (final RuntimeException e) {
                System.out.println(e);
                failed.incrementAndGet();
            }
        });
        threads.add(thread);
        thread.start();
    }

    /** For a while, and on a busy machine until there was some of everything; who started this has a deadline. */
    private boolean goesOn() {
        return System.nanoTime() < end || failed.get() == 0 && (told.get() < SOME || refused.get() < SOME
            || collections.get() == 0 || bigBlocks.get() == 0);
    }

    private void collect() {
        if (System.nanoTime() < end || collections.get() == 0) {
            System.gc();
            collections.incrementAndGet();
        } else {
            Thread.yield(); // On a slow machine the others need what is left of the time.
        }
    }

    /** From an arena of malloc, or from a mapping of its own; freed by the reference handler after a collection. */
    private void buffer() {
        final ThreadLocalRandom random = ThreadLocalRandom.current();
        final ByteBuffer buffer = ByteBuffer.allocateDirect(SIZES[random.nextInt(SIZES.length)]);
        final int at = random.nextInt(buffer.capacity());
        final long address = new UnsafeBuffer(buffer).addressOffset();
        if (watch.watch(address + at, buffer.capacity() - at, (guard, from, to) -> { }).intact()) {
            wrongly.incrementAndGet();
        }
        Reference.reachabilityFence(buffer);
        refused.incrementAndGet();
    }

    /** Blocks whose mappings touch, so that they are one mapping; freed by a thread that a safepoint waits for. */
    private void bigNeighbours() {
        final ByteBuffer[] buffers = {ByteBuffer.allocateDirect(BIG), ByteBuffer.allocateDirect(BIG)};
        for (final ByteBuffer buffer : buffers) {
            final int at = ThreadLocalRandom.current().nextInt(DEEP, BIG - PAGE);
            if (watch.watch(BufferUtil.address(buffer) + at, PAGE, (guard, from, to) -> { }).intact()) {
                wrongly.incrementAndGet();
            }
        }
        for (final ByteBuffer buffer : buffers) {
            BufferUtil.free(buffer);
        }
        bigBlocks.incrementAndGet();
    }

    private void mapping() {
        final long address = Libc.mmap(0, 4 * PAGE, LibcConstants.PROT_READ | LibcConstants.PROT_WRITE,
            LibcConstants.MAP_PRIVATE | LibcConstants.MAP_ANONYMOUS, -1, 0);
        watch.watch(address, 4 * PAGE, (guard, from, to) -> told.incrementAndGet());
        Libc.munmap(address, 4 * PAGE);
    }

    private static void shortLivedThread() {
        final Thread thread = new Thread(() -> ByteBuffer.allocateDirect(100_000));
        thread.start();
        try {
            thread.join();
        } catch (final InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
