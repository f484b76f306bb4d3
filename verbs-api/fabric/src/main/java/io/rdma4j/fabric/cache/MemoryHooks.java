/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.cache;

import io.rdma4j.fabric.MemoryMonitor;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * The monitor {@code memhooks}: frees that go through the JVM or through allocators that say so. libfabric's hooks the
 * C library's calls; in Java there are owners instead: a direct buffer, an arena, a mapped file, pinned memory. What
 * has an owner needs no monitor. For memory without one, the allocator says that it will tell when it frees:
 * {@link #notifyAllocated}, and tells: {@link #notifyFreed}. Other memory is not watched.
 *
 * <p>There is one for the process. Thread-safe.
 */
public final class MemoryHooks implements MemoryMonitor {
    /** What it is called in FI_MR_CACHE_MONITOR. */
    static final String NAME = "memhooks";
    private static final MemoryHooks PROCESS = new MemoryHooks();

    private final List<Listener> listeners = new CopyOnWriteArrayList<>();
    /** Ends by starts, of what was allocated; ranges do not overlap. */
    private final TreeMap<Long, Long> allocated = new TreeMap<>();

    MemoryHooks() {
        // One for the process, and others for tests.
    }

    /**
     * The one of this process.
     *
     * @return always the same.
     */
    public static MemoryHooks process() {
        return PROCESS;
    }

    /**
     * Promises that {@link #notifyFreed} will be called before this memory is freed, unmapped or mapped anew. What is
     * announced once more was freed without a word: caches are told so.
     *
     * @param address first byte.
     * @param length  bytes, above 0.
     * @throws io.rdma4j.fabric.FabricException FI_EINVAL for a range that is empty or wraps around.
     */
    public void notifyAllocated(final long address, final long length) {
        final Range range = Range.of("announce allocated memory", address, length);
        final boolean wasFreedInSilence;
        synchronized (allocated) {
            wasFreedInSilence = forget(range);
            allocated.put(range.start(), range.end());
        }
        if (wasFreedInSilence) {
            tell(range);
        }
    }

    /**
     * To be called before memory is freed, unmapped or mapped anew; also without {@link #notifyAllocated}, for memory
     * with an owner that is freed although somebody still has the owner. When it returns no cache finds it any more.
     *
     * @param address first byte.
     * @param length  bytes, above 0.
     * @throws io.rdma4j.fabric.FabricException FI_EINVAL for a range that is empty or wraps around.
     */
    public void notifyFreed(final long address, final long length) {
        final Range range = Range.of("announce freed memory", address, length);
        synchronized (allocated) {
            forget(range);
        }
        tell(range);
    }

    private void tell(final Range range) {
        for (final Listener listener : listeners) {
            listener.changed(range.start(), range.length());
        }
    }

    /** Whether any of it was allocated. What is left of an allocation of which a part is freed stays allocated. */
    private boolean forget(final Range range) {
        boolean some = false;
        Map.Entry<Long, Long> last = allocated.lowerEntry(range.end());
        while (last != null && last.getValue() > range.start()) {
            allocated.remove(last.getKey());
            if (last.getValue() > range.end()) {
                allocated.put(range.end(), last.getValue());
            }
            if (last.getKey() < range.start()) {
                allocated.put(last.getKey(), range.start());
            }
            some = true;
            // Below what was looked at now: what was left of that ends at the range's start.
            last = allocated.lowerEntry(Math.min(last.getKey(), range.end()));
        }
        return some;
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public void start(final Listener listener) {
        listeners.add(listener);
    }

    @Override
    public void stop(final Listener listener) {
        listeners.remove(listener);
    }

    @Override
    public boolean subscribe(final long address, final long length) {
        synchronized (allocated) {
            final Map.Entry<Long, Long> last = allocated.floorEntry(address);
            return last != null && last.getValue() - address >= length;
        }
    }

    @Override
    public void unsubscribe(final long address, final long length) {
        // Everything that is freed is told, whoever subscribed.
    }

    @Override
    public String toString() {
        return NAME;
    }
}
