/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.driver.memory;

import static io.rdma4j.driver.libc.LibcConstants.MAP_FIXED_NOREPLACE;
import static io.rdma4j.driver.memory.MappingMachine.ANONYMOUS;
import static io.rdma4j.driver.memory.MappingMachine.PAGE;
import static io.rdma4j.driver.memory.MappingMachine.RW;
import static io.rdma4j.driver.memory.MappingMachine.map;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.RdmaException;
import io.rdma4j.driver.libc.Libc;
import io.rdma4j.testing.TestBudget;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Many threads change the address space at once, on the kernel of this machine. */
@Timeout(120)
class MappingStressTest {
    private static final int THREADS = 4;
    /** Many, but on a slow machine only as many as can be done in a while. */
    private static final int ROUNDS = TestBudget.rounds(400, 2_000);
    private static final long RUN_NANOS = TestBudget.time(Duration.ofSeconds(1), Duration.ofSeconds(5)).toNanos();
    private static final long DEADLINE_SECONDS = 60;

    private final ExecutorService pool = Executors.newCachedThreadPool(body -> {
        final Thread thread = new Thread(body);
        thread.setDaemon(true);
        return thread;
    });
    private final long end = System.nanoTime() + RUN_NANOS;
    private MappingWatch watch;

    @BeforeEach
    void open() throws IOException {
        watch = MappingMachine.open();
    }

    @AfterEach
    void nothingIsLeft() throws IOException {
        pool.shutdownNow();
        watch.close();
        assertThat(MappingMachine.registered()).as("registrations left in the kernel").isEmpty();
    }

    private void inThreads(final int count, final Callable<Void> body) throws Exception {
        final List<Future<Void>> running = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            running.add(pool.submit(body));
        }
        join(running);
    }

    private void join(final List<Future<Void>> running) throws InterruptedException, ExecutionException {
        for (final Future<Void> future : running) {
            try {
                future.get(DEADLINE_SECONDS, TimeUnit.SECONDS);
            } catch (final TimeoutException e) {
                throw new AssertionError("stuck: " + watch + stacks(), e);
            }
        }
    }

    private static String stacks() {
        final StringBuilder text = new StringBuilder();
        Thread.getAllStackTraces().forEach((thread, frames) -> {
            text.append("\n  ").append(thread.getName()).append(' ').append(thread.getState());
            for (int i = 0; i < Math.min(4, frames.length); i++) {
                text.append("\n      ").append(frames[i]);
            }
        });
        return text.toString();
    }

    /** As a lookup would: first whether it is quiet, then the guard. */
    private boolean seenAsOld(final MappingGuard guard) {
        return watch.quiet() && guard.intact();
    }

    private boolean again(final int round) {
        return round == 0 || round < ROUNDS && System.nanoTime() < end;
    }

    @Test
    void afterMunmapReturnedNothingOldIsSeen() throws Exception {
        inThreads(THREADS, () -> {
            for (int round = 0; again(round); round++) {
                final long length = PAGE * (1L + ThreadLocalRandom.current().nextInt(4));
                final long address = map(length);
                final MappingGuard guard = watch.watch(address, length, (changed, from, to) -> { });
                // Not to be watched if another thread had the same address a moment ago, and that is being told.
                final boolean intact = guard.intact();
                Libc.munmap(address, length);
                assertThat(intact && seenAsOld(guard)).as("round %d: %s, %s", round, guard, watch).isFalse();
                if (mapAgain(address, length)) {
                    assertThat(seenAsOld(guard)).as("round %d, mapped again: %s", round, guard).isFalse();
                    Libc.munmap(address, length);
                }
                MappingMachine.await("told", () -> !guard.intact());
            }
            return null;
        });
        assertThat(watch.changes()).isPositive();
        assertThat(watch.guarded()).isZero();
    }

    /** False if the address went to somebody else. */
    private static boolean mapAgain(final long address, final long length) {
        try {
            Libc.mmap(address, length, RW, ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
            return true;
        } catch (final RdmaException e) {
            assertThat(RdmaException.errnoName(e.errno())).isEqualTo("EEXIST");
            return false;
        }
    }

    /**
     * Another thread gets the address from mmap while the first is still in munmap. Only the kernel knows of that. Any
     * other thread of the JVM may get it instead; it goes on until it was to be had once.
     */
    @Test
    void addressHandedOutBeforeMunmapReturnedIsSeenByAskingTheKernel() throws Exception {
        int won = 0;
        for (int round = 0; again(round) || won == 0; round++) {
            final long address = map(PAGE);
            final MappingGuard guard = watch.watch(address, PAGE, (changed, from, to) -> { });
            MappingMachine.await("quiet", watch::quiet);
            assertThat(guard.intact()).as("%s", guard).isTrue();
            assertThat(watch.changing()).isFalse();
            final Future<Void> unmapper = pool.submit(() -> {
                Libc.munmap(address, PAGE);
                return null;
            });
            final boolean mapped = mapsAgain(address, unmapper);
            final boolean stale = !watch.changing() && seenAsOld(guard);
            assertThat(stale).as("round %d: %s, %s", round, guard, watch).isFalse();
            join(List.of(unmapper));
            MappingMachine.await("quiet", watch::quiet);
            if (mapped) {
                won++;
                Libc.munmap(address, PAGE);
            }
        }
        assertThat(won).as("rounds in which the address was to be had").isPositive();
    }

    /** False if the address was not to be had even after it was unmapped: a thread of the JVM has its stack there. */
    private static boolean mapsAgain(final long address, final Future<Void> unmapper) {
        final long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(DEADLINE_SECONDS);
        boolean unmapped = false;
        boolean mapped = false;
        while (!mapped && !unmapped) {
            assertThat(System.nanoTime()).isLessThan(deadline);
            unmapped = unmapper.isDone();
            mapped = mapAgain(address, PAGE);
        }
        return mapped;
    }

    @Test
    void closingWhileChangesAreTold() throws Exception {
        for (int round = 0; round < 20; round++) {
            final MappingWatch closing = MappingWatch.open();
            final AtomicBoolean stop = new AtomicBoolean();
            final List<Future<Void>> running = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                running.add(pool.submit(() -> {
                    while (!stop.get()) {
                        final long address = map(PAGE);
                        try {
                            closing.watch(address, PAGE, (changed, from, to) -> { });
                        } catch (final RdmaException e) {
                            assertThat(e.errno()).isEqualTo(RdmaException.EBADFD);
                        } finally {
                            Libc.munmap(address, PAGE);
                        }
                    }
                    return null;
                }));
            }
            final long before = closing.changes();
            MappingMachine.await("traffic", () -> closing.changes() > before + 20);
            if (round % 2 == 0) {
                watch.close(); // The last one goes, and with it the file, while others are in munmap.
            }
            closing.close();
            assertThat(closing.guarded()).isZero();
            stop.set(true);
            join(running);
            watch.close();
            watch = MappingMachine.open();
        }
        watch.close();
        MappingMachine.await("threads ended", () -> Thread.getAllStackTraces().keySet().stream()
            .noneMatch(thread -> thread.getName().startsWith("rdma4j-map-")));
        assertThat(MappingMachine.openUserfaultfds()).isZero();
    }

    /** What is watched and let go again, in every way, leaves nothing behind. */
    @Test
    void overlappingGuardsComeAndGo() throws Exception {
        final int pages = 64;
        final long address = map(pages * PAGE);
        inThreads(THREADS, () -> {
            final ThreadLocalRandom random = ThreadLocalRandom.current();
            for (int round = 0; again(round); round++) {
                final int first = random.nextInt(pages);
                final int count = 1 + random.nextInt(pages - first);
                try (MappingGuard guard = watch.watch(address + first * PAGE, count * PAGE, (hit, from, to) -> { })) {
                    // The JVM may have had memory right below, which was gone when it was looked at.
                    if (guard.whyNot() == null || !guard.whyNot().contains("cannot be read")) {
                        assertThat(guard.whyNot()).isNull();
                        assertThat(guard.intact()).isTrue();
                    }
                }
            }
            return null;
        });
        assertThat(MappingMachine.registered()).isEmpty();
        assertThat(watch.toString()).contains(" 0 steps");
        Libc.munmap(address, pages * PAGE);
    }
}
