/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.driver.memory;

import static io.rdma4j.driver.memory.MappingMachine.PAGE;
import static io.rdma4j.driver.memory.UserfaultEvents.UFFD_EVENT_REMAP;
import static io.rdma4j.driver.memory.UserfaultEvents.UFFD_EVENT_REMOVE;
import static io.rdma4j.driver.memory.UserfaultEvents.UFFD_EVENT_UNMAP;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.RdmaException;
import io.rdma4j.driver.libc.Libc;
import io.rdma4j.driver.memory.AddressRangeMap.Range;
import io.rdma4j.testing.Patience;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What becomes of events, with a kernel that tells whatever the test wants. */
class MappingEngineTest {
    private static final int PAGES = 8;

    private volatile long now;
    private final UserfaultFake kernel = new UserfaultFake();
    private final MappingEngines engines = new MappingEngines(() -> kernel, () -> now);
    private final MappingWatch watch = MappingWatch.open(engines);
    private final List<String> told = Collections.synchronizedList(new ArrayList<>());
    private long base;

    @BeforeEach
    void map() {
        base = MappingMachine.map(PAGES * PAGE);
    }

    @AfterEach
    void close() {
        watch.close();
        assertThat(kernel.closed()).isTrue();
        Libc.munmap(base, PAGES * PAGE);
    }

    private MappingGuard guard(final String name, final int first, final int last) {
        return watch.watch(base + first * PAGE, (last - first) * PAGE, (guard, from, to) -> told.add(name + " "
            + page(from) + ".." + page(to)));
    }

    private long page(final long address) {
        return (address - base) / PAGE;
    }

    private Range range(final int first, final int last) {
        return new Range(base + first * PAGE, base + last * PAGE);
    }

    private void happens(final int event, final int first, final int last) {
        final int reads = kernel.reads();
        kernel.happens(event, base + first * PAGE, base + last * PAGE, 0);
        MappingMachine.await("read", () -> kernel.reads() > reads);
        assertThat(watch.awaitQuiet(Patience.nanos())).isTrue();
    }

    @Test
    void registersAllOfItEachTimeAndUnregistersWhatNobodyNeeds() {
        final MappingGuard one = guard("one", 0, 4);
        final MappingGuard two = guard("two", 2, 6);
        assertThat(kernel.registered).containsExactly(range(0, 4), range(2, 6));
        one.close();
        assertThat(kernel.unregistered).containsExactly(range(0, 2));
        one.close();
        two.close();
        assertThat(kernel.unregistered).containsExactly(range(0, 2), range(2, 6));
        assertThat(watch.guarded()).isZero();
        assertThat(told).isEmpty();
    }

    @Test
    void aChangeIsToldToThoseWhomItHitsAndOnce() {
        final MappingGuard one = guard("one", 0, 4);
        final MappingGuard two = guard("two", 3, 6);
        final MappingGuard three = guard("three", 6, 8);
        happens(UFFD_EVENT_UNMAP, 3, 6);
        assertThat(told).containsExactlyInAnyOrder("one 3..4", "two 3..6");
        assertThat(one.intact()).isFalse();
        assertThat(two.intact()).isFalse();
        assertThat(three.intact()).isTrue();
        happens(UFFD_EVENT_UNMAP, 0, 6);
        assertThat(told).hasSize(2);
        assertThat(kernel.unregistered).as("what is left of one").contains(range(0, 3));
        one.close();
        assertThat(watch.changes()).isEqualTo(2);
        assertThat(watch.guarded()).isEqualTo(1);
    }

    @Test
    void emptiedRangesAreNotWatchedUntilTheySettle() {
        final MappingGuard one = guard("one", 0, 4);
        happens(UFFD_EVENT_REMOVE, 2, 6);
        assertThat(told).containsExactly("one 2..4");
        assertThat(one.whyNot()).as("it was watched").isNull();
        final int registrations = kernel.registered.size();
        assertThat(guard("early", 5, 7).whyNot()).contains("a moment ago");
        assertThat(kernel.registered).hasSize(registrations);
        assertThat(guard("beside", 6, 7).intact()).isTrue();
        now = MappingSettling.SETTLE_NANOS;
        assertThat(guard("still early", 5, 7).intact()).isFalse();
        now++;
        assertThat(guard("late", 5, 6).intact()).isTrue();
    }

    @Test
    void theNewPlaceOfWhatWasMovedIsUnregisteredWhereNobodyWatchesIt() {
        guard("old", 0, 2);
        final MappingGuard there = guard("there", 5, 6);
        final int reads = kernel.reads();
        kernel.happens(UFFD_EVENT_REMAP, base, base + 4 * PAGE, 2 * PAGE);
        MappingMachine.await("read", () -> kernel.reads() > reads && watch.quiet());
        assertThat(told).containsExactly("old 0..2");
        assertThat(there.intact()).isTrue();
        assertThat(kernel.unregistered).contains(range(4, 5)).doesNotContain(range(4, 6));
    }

    @Test
    void itIsNotQuietWhileAListenerRuns() throws Exception {
        final CountDownLatch running = new CountDownLatch(1);
        final CountDownLatch go = new CountDownLatch(1);
        final MappingGuard guard = watch.watch(base, PAGE, (hit, from, to) -> {
            running.countDown();
            try {
                Patience.await(go, "leave to go on");
            } catch (final InterruptedException e) {
                told.add("interrupted");
            }
            told.add("done");
        });
        kernel.happens(UFFD_EVENT_UNMAP, base, base + PAGE, 0);
        Patience.await(running, "the watch that is told");
        assertThat(guard.intact()).isFalse();
        assertThat(watch.quiet()).isFalse();
        assertThat(watch.awaitQuiet(0)).isFalse();
        assertThat(watch.awaitQuiet(1_000)).isFalse();
        // The next one is read all the same: nobody who changes something waits for a listener.
        final int reads = kernel.reads();
        kernel.happens(UFFD_EVENT_UNMAP, base + PAGE, base + 2 * PAGE, 0);
        MappingMachine.await("read", () -> kernel.reads() > reads);
        go.countDown();
        assertThat(watch.awaitQuiet(Patience.nanos())).isTrue();
        assertThat(told).containsExactly("done");
    }

    @Test
    void whatTheKernelRefusesIsSaid() {
        kernel.answer(RdmaException.EINVAL);
        assertThat(guard("kind", 0, 1).whyNot()).contains("cannot watch this kind of memory", "since Linux 5.7");
        kernel.answer(RdmaException.ENOMEM);
        assertThat(guard("maps", 0, 1).whyNot()).contains("vm.max_map_count");
        kernel.answer(RdmaException.EPERM);
        assertThat(guard("read-only", 0, 1).whyNot()).contains("for reading only");
        kernel.answer(RdmaException.EBUSY);
        assertThat(guard("other", 0, 1).whyNot()).contains("another userfaultfd");
        kernel.answer(RdmaException.EIO);
        assertThat(guard("odd", 0, 1).whyNot()).contains("EIO");
        assertThat(watch.guarded()).isZero();
        kernel.answer(0);
        assertThat(guard("at last", 0, 1).intact()).isTrue();
    }

    @Test
    void aReaderThatFailsEndsAllGuardsAndNothingIsWatchedAnyMore() {
        final MappingGuard one = guard("one", 0, 4);
        final MappingGuard two = guard("two", 4, 8);
        kernel.fail(RdmaException.of("read").errno(RdmaException.EIO).build());
        MappingMachine.await("told", () -> told.size() == 2);
        assertThat(told).containsExactlyInAnyOrder("one 0..4", "two 4..8");
        assertThat(one.intact()).isFalse();
        assertThat(two.intact()).isFalse();
        assertThat(watch.awaitQuiet(Patience.nanos())).isTrue();
        assertThat(watch.available()).isFalse();
        assertThat(watch.whyNot()).contains("EIO", "nothing is watched any more");
        assertThat(watch.awaitSettled(0)).as("nobody waits for what is not told").isTrue();
        assertThat(guard("later", 0, 1).whyNot()).isEqualTo(watch.whyNot());
        assertThat(kernel.closed()).as("whoever is in munmap must not wait for ever").isTrue();
    }

    @Test
    void aListenerThatFailsWithAnErrorLosesTheWatchButNobodyHangs() {
        watch.watch(base, PAGE, (hit, from, to) -> {
            throw new StackOverflowError("as deep as it may be");
        });
        final MappingGuard other = guard("other", 4, 8);
        kernel.happens(UFFD_EVENT_UNMAP, base, base + PAGE, 0);
        MappingMachine.await("lost",
            () -> !watch.available() && !other.intact() && kernel.closed() && !told.isEmpty());
        assertThat(told).containsExactly("other 4..8");
    }

    @Test
    void theEndOfTheJvmEndsTheWatch() {
        final MappingGuard one = guard("one", 0, 4);
        final MappingEngine engine = engines.acquire();
        engine.shutDown();
        MappingMachine.await("ended", () -> kernel.closed() && !one.intact() && watch.quiet() && !told.isEmpty());
        assertThat(told).containsExactly("one 0..4");
        assertThat(watch.whyNot()).contains("the JVM shuts down");
        engines.release(engine);
    }

    @Test
    void theKernelIsAskedForWhatItIsJustDoing() {
        assertThat(watch.changing()).isFalse();
        kernel.changing(true);
        assertThat(watch.changing()).isTrue();
    }

    @Test
    void whatIsHeldIsNotTakenForWhatWasThereWhileItsMunmapHasNotReturned() {
        final AtomicBoolean isOver = new AtomicBoolean();
        final Runnable theChange = () -> {
            isOver.set(true);
            kernel.happens(UFFD_EVENT_UNMAP, base, base + PAGE, 0);
        };
        kernel.whenAsked(theChange);
        final MemoryHold hold = MemoryHold.of(base, PAGE, watch, lost -> told.add("lost"));
        if (!isOver.get()) {
            theChange.run();
        }
        MappingMachine.await("read", () -> kernel.reads() > 0);
        assertThat(watch.awaitSettled(Patience.nanos())).isTrue();
        assertThat(hold.isWatched()).isTrue();
        assertThat(hold.intact()).as("of the memory that is there now: %s", told).isTrue();
        hold.close();
    }

    @Test
    void whoeverWaitsForAnEndOfChangesDoesNotWaitForEver() {
        kernel.changing(true);
        assertThat(watch.awaitSettled(1)).isFalse();
        assertThat(watch.quiet()).isTrue();
    }

    @Test
    void whereThereIsNoneNothingIsWatchedAndNothingFails() {
        final MappingEngines none = new MappingEngines(() -> {
            throw RdmaException.of("open userfaultfd").errno(RdmaException.EPERM).hint("ask somebody").build();
        }, System::nanoTime);
        try (MappingWatch unavailable = MappingWatch.open(none); MappingWatch second = MappingWatch.open(none)) {
            assertThat(unavailable.available()).isFalse();
            assertThat(unavailable.whyNot()).contains("open userfaultfd", "EPERM", "ask somebody");
            final MappingGuard guard = unavailable.watch(base, PAGE, (hit, from, to) -> told.add("never"));
            assertThat(guard.intact()).isFalse();
            assertThat(guard.whyNot()).isEqualTo(second.whyNot());
            assertThat(unavailable.quiet()).isTrue();
            assertThat(unavailable.awaitQuiet(0)).isTrue();
            assertThat(unavailable.changing()).isFalse();
            assertThat(unavailable.changes()).isZero();
            assertThat(unavailable.guarded()).isZero();
            guard.close();
        }
        assertThat(told).isEmpty();
    }

    @Test
    void whoIsInterruptedClosesItAsWell() throws Exception {
        final Thread closer = Thread.currentThread();
        final CountDownLatch running = new CountDownLatch(1);
        final CountDownLatch interrupted = new CountDownLatch(1);
        watch.watch(base, PAGE, (hit, from, to) -> {
            running.countDown();
            Patience.awaitUninterruptibly(interrupted, "the interrupt");
            Patience.awaitUndeterred(closer);
            told.add("done");
        });
        kernel.happens(UFFD_EVENT_UNMAP, base, base + PAGE, 0);
        Patience.await(running, "the watch that is told");
        closer.interrupt();
        interrupted.countDown();
        watch.close();
        final List<String> toldThen = List.copyOf(told);
        assertThat(Thread.interrupted()).isTrue();
        assertThat(toldThen).containsExactly("done");
    }

    @Test
    void theLastOneClosedEndsTheKernelAndTheNextOneOpensAnother() {
        final List<UserfaultFake> made = new ArrayList<>();
        final MappingEngines counted = new MappingEngines(() -> {
            made.add(new UserfaultFake());
            return made.get(made.size() - 1);
        }, System::nanoTime);
        final MappingWatch first = MappingWatch.open(counted);
        final MappingWatch second = MappingWatch.open(counted);
        first.close();
        first.close();
        assertThat(made).hasSize(1);
        assertThat(made.get(0).closed()).isFalse();
        second.close();
        assertThat(made.get(0).closed()).isTrue();
        MappingWatch.open(counted).close();
        assertThat(made).hasSize(2);
        assertThat(made.get(1).closed()).isTrue();
    }
}
