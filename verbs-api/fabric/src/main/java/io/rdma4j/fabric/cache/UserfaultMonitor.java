/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.cache;

import io.rdma4j.driver.memory.MappingGuard;
import io.rdma4j.driver.memory.MappingWatch;
import io.rdma4j.fabric.MemoryMonitor;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;

/**
 * Watches mappings with Linux' userfaultfd: whatever unmaps, moves, replaces or empties them is noticed, whoever does
 * it. Of one cache. What the kernel does not tell about is said at {@link MappingWatch}.
 */
final class UserfaultMonitor implements MemoryMonitor {
    static final String NAME = "userfaultfd";
    private static final System.Logger LOG = System.getLogger(UserfaultMonitor.class.getName());

    private final boolean strict;
    private final Map<Range, Deque<MappingGuard>> guards = new HashMap<>();
    private volatile Listener listener;
    private volatile MappingWatch watch;

    UserfaultMonitor(final boolean strict) {
        this.strict = strict;
    }

    /** Whether it can watch on this machine. */
    static boolean isAvailable() {
        try (MappingWatch probe = MappingWatch.open()) {
            return probe.available();
        }
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public void start(final Listener cache) {
        listener = cache;
        watch = MappingWatch.open();
        if (!watch.available()) {
            LOG.log(System.Logger.Level.WARNING, "userfaultfd watches nothing: " + watch.whyNot()
                + ". Memory without an owner in Java is kept only on demand, or registered anew for each use.");
        }
    }

    @Override
    public void stop(final Listener cache) {
        watch.close();
    }

    /** The kernel watches before this returns, so before the memory is registered. */
    @Override
    public boolean subscribe(final long address, final long length) {
        final MappingGuard guard = watch.watch(address, length, this::changed);
        if (!guard.intact()) {
            guard.close();
            return false;
        }
        keep(new Range(address, address + length), guard);
        return true;
    }

    void keep(final Range range, final MappingGuard guard) {
        synchronized (guards) {
            guards.computeIfAbsent(range, any -> new ArrayDeque<>()).add(guard);
        }
    }

    /** A guard ends with the first change: so all of what it guarded is told, not only the part that changed. */
    private void changed(final MappingGuard guard, final long from, final long to) {
        final long start = Math.min(from, guard.address());
        listener.changed(start, Math.max(to, guard.address() + guard.length()) - start);
    }

    @Override
    public void unsubscribe(final long address, final long length) {
        final MappingGuard guard;
        synchronized (guards) {
            final Range range = new Range(address, address + length);
            final Deque<MappingGuard> ofRange = guards.get(range);
            guard = ofRange == null ? null : removeOne(ofRange);
            if (ofRange != null && ofRange.isEmpty()) {
                guards.remove(range);
            }
        }
        if (guard != null) {
            guard.close();
        }
    }

    /**
     * One that has seen a change goes first: entries that are kept need the others. They are not in the order in which
     * they began to watch, as threads put them here later than that.
     */
    private static MappingGuard removeOne(final Deque<MappingGuard> ofRange) {
        final MappingGuard guard = ofRange.stream().filter(one -> !one.intact()).findFirst().orElseGet(ofRange::peek);
        ofRange.remove(guard);
        return guard;
    }

    /** What the kernel has begun and not told is asked first: what it has told by then is seen by the second. */
    @Override
    public boolean quiet() {
        final MappingWatch now = watch;
        return !(strict && now.changing()) && now.quiet();
    }

    @Override
    public String toString() {
        return NAME + (strict ? ", strict" : "") + ": " + watch;
    }
}
