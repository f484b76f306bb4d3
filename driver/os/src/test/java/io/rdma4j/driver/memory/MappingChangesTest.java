/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.driver.memory;

import static io.rdma4j.driver.libc.LibcConstants.MADV_DONTNEED;
import static io.rdma4j.driver.libc.LibcConstants.MADV_FREE;
import static io.rdma4j.driver.libc.LibcConstants.MADV_REMOVE;
import static io.rdma4j.driver.libc.LibcConstants.MAP_FIXED;
import static io.rdma4j.driver.libc.LibcConstants.MREMAP_DONTUNMAP;
import static io.rdma4j.driver.libc.LibcConstants.MREMAP_MAYMOVE;
import static io.rdma4j.driver.memory.MappingMachine.ANONYMOUS;
import static io.rdma4j.driver.memory.MappingMachine.HUGE;
import static io.rdma4j.driver.memory.MappingMachine.PAGE;
import static io.rdma4j.driver.memory.MappingMachine.RW;
import static io.rdma4j.driver.memory.MappingMachine.await;
import static io.rdma4j.driver.memory.MappingMachine.map;
import static io.rdma4j.driver.memory.MappingMachine.mapHuge;
import static io.rdma4j.driver.memory.MappingMachine.mapShared;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rdma4j.RdmaException;
import io.rdma4j.driver.libc.AddressSpace;
import io.rdma4j.driver.libc.FencedPages;
import io.rdma4j.driver.libc.Libc;
import io.rdma4j.driver.libc.LibcConstants;
import io.rdma4j.driver.libc.SystemFaults;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Each kind of change to each kind of memory, on the kernel of this machine. */
class MappingChangesTest {
    private static final int PAGES = 8;

    private final List<String> told = Collections.synchronizedList(new ArrayList<>());
    private MappingWatch watch;
    private long base;

    /** What can be watched. */
    private enum Kind {
        ANONYMOUS_PRIVATE, MEMFD_SHARED, HUGE_PRIVATE, HUGE_SHARED;

        long page() {
            return this == HUGE_PRIVATE || this == HUGE_SHARED ? HUGE : PAGE;
        }

        long map() {
            return switch (this) {
                case ANONYMOUS_PRIVATE -> MappingMachine.map(PAGES * page());
                case MEMFD_SHARED -> mapShared(PAGES * page(), 0);
                case HUGE_PRIVATE -> mapHuge(PAGES * page(), false);
                case HUGE_SHARED -> mapHuge(PAGES * page(), true);
            };
        }
    }

    @BeforeEach
    void open() throws IOException {
        watch = MappingMachine.open();
    }

    @AfterEach
    void nothingIsLeft() throws IOException {
        watch.close();
        assertThat(MappingMachine.registered()).as("registrations left in the kernel").isEmpty();
    }

    private void mapAll(final Kind kind) {
        base = kind.map();
        assumeTrue(base != 0, "no hugepages of 2 MiB in the pool (vm.nr_hugepages)");
    }

    /** Guards pages [first, last) of the mapping. */
    private MappingGuard guard(final Kind kind, final int first, final int last) {
        final MappingGuard guard = watch.watch(base + first * kind.page() + 1, (last - first) * kind.page() - 2,
            (changed, from, to) -> told.add(first + ": " + (from - base) / kind.page() + ".." + (to - base)
                / kind.page()));
        assertThat(guard.whyNot()).isNull();
        assertThat(guard.intact()).isTrue();
        return guard;
    }

    /** As a lookup would: first whether it is quiet, then the guard. */
    private boolean seenAsOld(final MappingGuard guard) {
        return watch.quiet() && guard.intact();
    }

    private void awaitTold(final MappingGuard guard, final String... what) {
        assertThat(seenAsOld(guard)).as("right after the call").isFalse();
        await("everybody told: " + watch, watch::quiet);
        assertThat(guard.intact()).isFalse();
        assertThat(told).containsExactly(what);
    }

    @ParameterizedTest
    @EnumSource
    void unmappingAll(final Kind kind) {
        mapAll(kind);
        final MappingGuard guard = guard(kind, 2, 4);
        Libc.munmap(base, PAGES * kind.page());
        awaitTold(guard, "2: 2..4");
    }

    @ParameterizedTest
    @EnumSource
    void unmappingAPart(final Kind kind) {
        mapAll(kind);
        final MappingGuard before = guard(kind, 0, 3);
        final MappingGuard hit = guard(kind, 2, 5);
        final MappingGuard after = guard(kind, 4, 8);
        Libc.munmap(base + 3 * kind.page(), kind.page());
        awaitTold(hit, "2: 3..4");
        assertThat(before.intact()).isTrue();
        assertThat(after.intact()).isTrue();
        told.clear();
        Libc.munmap(base, 3 * kind.page());
        awaitTold(before, "0: 0..3");
        Libc.munmap(base + 4 * kind.page(), 4 * kind.page());
        awaitTold(after, "0: 0..3", "4: 4..8");
    }

    @ParameterizedTest
    @EnumSource
    void mappingOver(final Kind kind) {
        mapAll(kind);
        final MappingGuard guard = guard(kind, 2, 4);
        Libc.mmap(base + 3 * kind.page(), kind.page(), RW, ANONYMOUS | MAP_FIXED, -1, 0);
        awaitTold(guard, "2: 3..4");
        Libc.munmap(base, PAGES * kind.page());
    }

    @ParameterizedTest
    @EnumSource
    void givingPagesBack(final Kind kind) {
        mapAll(kind);
        final MappingGuard guard = guard(kind, 2, 4);
        final boolean shared = kind == Kind.MEMFD_SHARED || kind == Kind.HUGE_SHARED;
        Libc.madvise(base + 3 * kind.page(), 3 * kind.page(), shared ? MADV_REMOVE : MADV_DONTNEED);
        awaitTold(guard, "2: 3..4");
        assertThat(Libc.directBuffer(base + 3 * kind.page(), 8).getLong(0)).isZero();
        // madvise tells first and acts then: for a moment nothing is watched there.
        await("it settles", () -> watch.watch(base, kind.page() * PAGES, (changed, from, to) -> { }).intact());
        Libc.munmap(base, PAGES * kind.page());
    }

    @Test
    void freeingLazily() {
        mapAll(Kind.ANONYMOUS_PRIVATE);
        final MappingGuard guard = guard(Kind.ANONYMOUS_PRIVATE, 2, 4);
        Libc.madvise(base, PAGES * PAGE, MADV_FREE);
        awaitTold(guard, "2: 2..4");
        Libc.munmap(base, PAGES * PAGE);
    }

    @ParameterizedTest
    @EnumSource(names = {"ANONYMOUS_PRIVATE", "MEMFD_SHARED"})
    void moving(final Kind kind) throws IOException {
        mapAll(kind);
        final MappingGuard guard = guard(kind, 0, PAGES);
        final long longer = 4L * PAGES * PAGE;
        final long room = map(longer);
        final long moved = AddressSpace.mremap(base, PAGES * PAGE, longer,
            MREMAP_MAYMOVE | LibcConstants.MREMAP_FIXED, room);
        awaitTold(guard, "0: 0..8");
        assertThat(moved).isEqualTo(room);
        assertThat(MappingMachine.registered()).as("the new place was not asked for").isEmpty();
        Libc.munmap(moved, longer);
    }

    @Test
    void movingAPartThatAloneIsWatched() throws IOException {
        mapAll(Kind.ANONYMOUS_PRIVATE);
        final MappingGuard guard = guard(Kind.ANONYMOUS_PRIVATE, 2, 4);
        final long moved = AddressSpace.mremap(base + 3 * PAGE, PAGE, PAGE, MREMAP_MAYMOVE
            | LibcConstants.MREMAP_FIXED, base + 6 * PAGE);
        awaitTold(guard, "2: 3..4");
        assertThat(moved).isEqualTo(base + 6 * PAGE);
        assertThat(MappingMachine.registered()).isEmpty();
        Libc.munmap(base, PAGES * PAGE);
    }

    @Test
    void movingThePagesAndKeepingThePlace() throws IOException {
        mapAll(Kind.ANONYMOUS_PRIVATE);
        final MappingGuard guard = guard(Kind.ANONYMOUS_PRIVATE, 0, PAGES);
        final long moved = AddressSpace.mremap(base, PAGES * PAGE, PAGES * PAGE, MREMAP_MAYMOVE | MREMAP_DONTUNMAP, 0);
        awaitTold(guard, "0: 0..8");
        assertThat(MappingMachine.registered()).isEmpty();
        Libc.munmap(moved, PAGES * PAGE);
        Libc.munmap(base, PAGES * PAGE);
    }

    @Test
    void shrinking() {
        mapAll(Kind.ANONYMOUS_PRIVATE);
        final MappingGuard guard = guard(Kind.ANONYMOUS_PRIVATE, 0, PAGES);
        AddressSpace.mremap(base, PAGES * PAGE, 3 * PAGE, 0, 0);
        awaitTold(guard, "0: 3..8");
        Libc.munmap(base, 3 * PAGE);
    }

    @Test
    void severalMappingsInOneRange() {
        mapAll(Kind.ANONYMOUS_PRIVATE);
        final long shared = mapShared(PAGE, 0);
        AddressSpace.mremap(shared, PAGE, PAGE, MREMAP_MAYMOVE | LibcConstants.MREMAP_FIXED, base + 2 * PAGE);
        await("the mapping over is told", watch::quiet);
        final MappingGuard guard = guard(Kind.ANONYMOUS_PRIVATE, 0, PAGES);
        Libc.munmap(base + 5 * PAGE, PAGE);
        awaitTold(guard, "0: 5..6");
        Libc.munmap(base, PAGES * PAGE);
    }

    @Test
    void mappingAgainInTheSamePlaceIsWatchedAgain() {
        try (FencedPages pages = new FencedPages(PAGES)) {
            base = pages.address();
            for (int round = 0; round < 100; round++) {
                mapTwiceAndUnmap(round);
                Libc.mmap(base, PAGES * PAGE, RW, ANONYMOUS | MAP_FIXED, -1, 0);
            }
        }
    }

    private void mapTwiceAndUnmap(final int round) {
        told.clear();
        // Nobody waits until the first one was told of: the second must be registered all the same.
        final MappingGuard first = guard(Kind.ANONYMOUS_PRIVATE, 0, PAGES);
        Libc.mmap(base, PAGES * PAGE, RW, ANONYMOUS | MAP_FIXED, -1, 0);
        final MappingGuard second = watch.watch(base, PAGES * PAGE, (guard, from, to) -> { });
        await("first told", watch::quiet);
        assertThat(first.intact()).isFalse();
        Libc.munmap(base, PAGES * PAGE);
        assertThat(seenAsOld(second)).as("round %d", round).isFalse();
        await("second told", watch::quiet);
        assertThat(second.intact()).isFalse();
    }

    @Test
    void closedGuardsHearNothing() throws IOException {
        mapAll(Kind.ANONYMOUS_PRIVATE);
        final MappingGuard closed = guard(Kind.ANONYMOUS_PRIVATE, 0, 4);
        final MappingGuard open = guard(Kind.ANONYMOUS_PRIVATE, 2, 6);
        closed.close();
        closed.close();
        assertThat(closed.intact()).isFalse();
        assertThat(MappingMachine.registered()).as("pages 2 to 5 only").hasSize(1).first().asString()
            .startsWith(String.format("%x-%x", base + 2 * PAGE, base + 6 * PAGE));
        Libc.munmap(base, PAGES * PAGE);
        awaitTold(open, "2: 2..6");
    }

    @Test
    void nothingElseIsToldOf() {
        mapAll(Kind.ANONYMOUS_PRIVATE);
        final MappingGuard guard = guard(Kind.ANONYMOUS_PRIVATE, 2, 4);
        final long before = watch.changes();
        Libc.munmap(base, PAGE);
        Libc.madvise(base + 5 * PAGE, PAGE, MADV_DONTNEED);
        Libc.mlock(base + 2 * PAGE, 2 * PAGE);
        Libc.munlock(base + 2 * PAGE, 2 * PAGE);
        MappingMachine.touch(base + PAGE, 7 * PAGE);
        assertThat(watch.quiet()).isTrue();
        assertThat(watch.changes()).isEqualTo(before);
        assertThat(guard.intact()).isTrue();
        assertThat(watch.guarded()).isEqualTo(1);
        Libc.munmap(base + PAGE, (PAGES - 1) * PAGE);
    }

    @Test
    void twoWatchesAreOneFileAndEachHearsItsOwn() throws IOException {
        mapAll(Kind.ANONYMOUS_PRIVATE);
        final MappingGuard guard = guard(Kind.ANONYMOUS_PRIVATE, 0, 4);
        final List<MappingGuard> others = new ArrayList<>();
        final MappingGuard same;
        try (MappingWatch other = MappingWatch.open()) {
            same = other.watch(base, PAGE, (changed, from, to) -> others.add(changed));
            assertThat(same.intact()).isTrue();
            assertThat(MappingMachine.openUserfaultfds()).isEqualTo(1);
        }
        assertThat(same.intact()).isFalse();
        Libc.munmap(base, PAGES * PAGE);
        awaitTold(guard, "0: 0..4");
        assertThat(others).isEmpty();
    }

    @Test
    void listenerMayWatchAndClose() {
        mapAll(Kind.ANONYMOUS_PRIVATE);
        final MappingGuard other = guard(Kind.ANONYMOUS_PRIVATE, 6, 7);
        final List<MappingGuard> made = Collections.synchronizedList(new ArrayList<>());
        final MappingGuard guard = watch.watch(base, PAGE, (changed, from, to) -> {
            other.close();
            changed.close();
            made.add(watch.watch(base + 2 * PAGE, PAGE, (next, start, end) -> { }));
            throw new IllegalStateException("and throw");
        });
        Libc.munmap(base, PAGE);
        awaitTold(guard);
        assertThat(other.intact()).isFalse();
        assertThat(made).hasSize(1);
        assertThat(made.get(0).intact()).isTrue();
        Libc.munmap(base + PAGE, (PAGES - 1) * PAGE);
    }

    @Test
    void whatIsClosedMayBeStopped() {
        final UserfaultFd file = UserfaultFd.open(UserfaultSource.ofLinux());
        file.stop();
        assertThat(file.await(0)).as("that is nothing to read").isFalse();
        file.close();
        file.stop();
        file.close();
        assertThat(file.toString()).contains("closed");
    }

    /** The thread that waits for changes is the process' only one: without it nothing would be watched any more. */
    @Test
    void aKernelThatHasNoMemoryForAWhileIsWaitedFor() {
        mapAll(Kind.ANONYMOUS_PRIVATE);
        final MappingGuard first = guard(Kind.ANONYMOUS_PRIVATE, 0, 2);
        final MappingGuard second = guard(Kind.ANONYMOUS_PRIVATE, 4, 6);
        try (SystemFaults faults = SystemFaults.failing(true, "ppoll", 1, RdmaException.ENOMEM)) {
            Libc.munmap(base, 2 * PAGE);
            await("the call that fails", faults::hasFailed);
            Libc.munmap(base + 4 * PAGE, 2 * PAGE);
            await("the second change", () -> told.size() == 2);
        }
        assertThat(first.intact()).isFalse();
        assertThat(second.intact()).isFalse();
        assertThat(watch.available()).isTrue();
        Libc.munmap(base + 2 * PAGE, 2 * PAGE);
        Libc.munmap(base + 6 * PAGE, 2 * PAGE);
    }
}
