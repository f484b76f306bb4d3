/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.driver.memory;

import static io.rdma4j.driver.memory.UserfaultEvents.UFFD_EVENT_REMAP;
import static io.rdma4j.driver.memory.UserfaultEvents.UFFD_EVENT_REMOVE;

import io.rdma4j.RdmaException;
import io.rdma4j.driver.libc.Libc;
import io.rdma4j.driver.memory.AddressRangeMap.Range;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * Which guard covers what, and the kernel's registrations that this needs. Thread-safe: one lock, under which nothing
 * waits for a listener or for an event to be read.
 */
final class MappingRegister {
    private final UserfaultKernel kernel;
    private final AddressRangeMap<MappingGuard> ranges = new AddressRangeMap<>();
    private final MappingSettling settling = new MappingSettling();
    private final LongSupplier clock;
    private final BooleanSupplier quiet;
    private boolean closed;

    MappingRegister(final UserfaultKernel kernel, final LongSupplier clock, final BooleanSupplier quiet) {
        this.kernel = kernel;
        this.clock = clock;
        this.quiet = quiet;
    }

    /** Null, or why it cannot be watched. */
    String add(final MappingGuard guard) {
        final long end = guard.address() + guard.length();
        final MappingAreas areas = MappingAreas.ofThisProcess();
        final String refusal = areas.refusal(guard.address(), end, provenBelow(guard));
        if (refusal != null) {
            return refusal;
        }
        final int errno = add(guard, guard.address(), end, Libc.pageSize());
        if (errno == 0) {
            return stillOurs(guard, end);
        }
        if (errno != RdmaException.EINVAL) {
            return MappingRefusals.of(errno, areas.describe(guard.address()));
        }
        // Hugepages of a pool are registered as a whole.
        final long huge = areas.pageSize(guard.address());
        final int again = huge > Libc.pageSize() ? add(guard, guard.address(), end, huge) : errno;
        return again == 0 ? stillOurs(guard, end) : MappingRefusals.of(again, areas.describe(guard.address()));
    }

    /**
     * Between the look at the mappings and the registration the range may have been unmapped, and malloc been given the
     * place. From the registration on that is told, so this is the last look that is needed.
     */
    private String stillOurs(final MappingGuard guard, final long end) {
        final long proven = provenBelow(guard);
        final MappingAreas areas = MappingAreas.ofThisProcess();
        String refusal = areas.refusal(guard.address(), end, proven);
        if (refusal == null && proven != 0 && (!quiet.getAsBoolean() || provenBelow(guard) < proven)) {
            refusal = areas.refusal(guard.address(), end); // What proved it may have been gone.
        }
        if (refusal != null) {
            remove(guard);
            return refusal;
        }
        synchronized (this) {
            guard.prove();
        }
        return null;
    }

    /**
     * What is watched is not malloc's, and no block of malloc reaches beyond it. So the end of what is watched below a
     * guard, where a search for such a block may stop; 0 if there is none.
     */
    private synchronized long provenBelow(final MappingGuard guard) {
        final long first = guard.address() & -Libc.pageSize();
        long proven = 0;
        for (final MappingGuard other : ranges.overlapping(Math.max(0, first - MallocBlocks.FARTHEST),
            first + Libc.pageSize())) {
            if (other != guard && other.proven()) {
                proven = Math.max(proven, Math.min(other.to(), first + Libc.pageSize()));
            }
        }
        return proven;
    }

    private synchronized int add(final MappingGuard guard, final long start, final long end, final long page) {
        final long from = start & -page;
        final long to = end + page - 1 & -page;
        if (closed) {
            return RdmaException.EBADFD;
        }
        if (settling.settling(from, to, clock.getAsLong())) {
            return RdmaException.EAGAIN;
        }
        if (!guard.intact()) {
            return 0; // Closed meanwhile.
        }
        guard.register(from, to);
        ranges.add(from, to, guard);
        // All of it, also what is watched already: that may be gone and mapped anew, and we not told of it yet.
        final int errno = kernel.register(from, to);
        if (errno != 0) {
            drop(guard, 0, 0);
        }
        return errno;
    }

    synchronized void remove(final MappingGuard guard) {
        drop(guard, 0, 0);
    }

    private void drop(final MappingGuard guard, final long goneFrom, final long goneTo) {
        if (guard.unregister()) {
            unregister(ranges.remove(guard.from(), guard.to(), guard), goneFrom, goneTo);
        }
    }

    /** Those who were hit; they are not in here any more. */
    synchronized List<MappingGuard> changed(final UserfaultEvents events, final int index) {
        final long from = events.from(index);
        final long to = events.to(index);
        final boolean emptied = events.event(index) == UFFD_EVENT_REMOVE;
        if (emptied) {
            settling.emptied(from, to, clock.getAsLong());
        }
        final List<MappingGuard> hit = new ArrayList<>();
        if (from < to) {
            for (final MappingGuard guard : ranges.overlapping(from, to)) {
                hit.add(guard);
                drop(guard, emptied ? 0 : from, emptied ? 0 : to);
            }
        }
        if (events.event(index) == UFFD_EVENT_REMAP) {
            inherited(events.newFrom(index), events.newFrom(index) + to - from);
        }
        return hit;
    }

    /** The new place of something that was moved is registered, too; but nobody asked for it. */
    private void inherited(final long from, final long to) {
        if (closed) {
            return;
        }
        if (from < to) {
            unregister(ranges.uncovered(from, to), 0, 0);
        }
        // It may be longer than the old one, and Linux tells the old length.
        final Range rest = MappingAreas.ofThisProcess().areaAt(to);
        if (rest != null) {
            unregister(ranges.uncovered(Math.max(rest.from(), to), rest.to()), 0, 0);
        }
    }

    /** What is within the range that is gone cannot be registered, except if it was mapped and watched anew. */
    private void unregister(final List<Range> free, final long goneFrom, final long goneTo) {
        for (final Range range : free) {
            if (!closed && kernel.unregister(range.from(), range.to()) != 0
                && (range.from() < goneFrom || range.to() > goneTo)) {
                unregisterEach(range);
            }
        }
    }

    /** Something is mapped in between that has never been registered and makes the kernel refuse the whole. */
    private void unregisterEach(final Range range) {
        for (final Range part : MappingAreas.ofThisProcess().within(range)) {
            kernel.unregister(part.from(), part.to());
        }
    }

    synchronized List<MappingGuard> everything() {
        return new ArrayList<>(ranges.overlapping(0, Long.MAX_VALUE));
    }

    synchronized void close() {
        if (!closed) {
            closed = true;
            kernel.close();
        }
    }

    @Override
    public synchronized String toString() {
        return ranges.toString();
    }
}
