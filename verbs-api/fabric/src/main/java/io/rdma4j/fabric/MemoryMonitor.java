/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric;

/**
 * Tells registration caches when other pages are, or will be, behind addresses (checklist 54-56). Thread-safe; one
 * monitor may serve several caches. Applications can supply their own: {@link CacheAttributes#monitor(MemoryMonitor)},
 * or for all caches the service {@code mr_cache}.
 *
 * <p>The promise that caches build on: when a change of a subscribed range has ended, as seen by the thread that made
 * it, then either the listeners were told and have returned, or {@link #quiet()} is false until that is so.
 *
 * <p>A method that throws is a monitor that does not watch: the cache counts it, and keeps nothing on its account.
 * Caches hold no lock that a listener needs while they call a monitor.
 */
public interface MemoryMonitor {
    /** A cache, told of changes. Does not throw, and may be called while other locks are held. */
    @FunctionalInterface
    interface Listener {
        /**
         * What was known of a range is not true any more. Ranges that nobody subscribed to do no harm.
         *
         * @param address first byte.
         * @param length  bytes.
         */
        void changed(long address, long length);
    }

    /**
     * What it is called, in {@code FI_MR_CACHE_MONITOR}, too.
     *
     * @return a word in lower case.
     */
    String name();

    /**
     * A cache begins to use it.
     *
     * @param listener of the cache; another one for each.
     */
    void start(Listener listener);

    /**
     * A cache does not use it any more.
     *
     * @param listener as given to {@link #start}.
     */
    void stop(Listener listener);

    /**
     * Begins to watch a range. Ranges may overlap, and come several times; each has its own {@link #unsubscribe}.
     * Called before the range is registered.
     *
     * @param address first byte.
     * @param length  bytes.
     * @return whether the range is watched; if not, no pages of it are kept, and it need not be unsubscribed. Regions
     *         on demand, which have no pages, may be kept.
     */
    boolean subscribe(long address, long length);

    /**
     * Ends a subscription that was successful.
     *
     * @param address as subscribed.
     * @param length  as subscribed.
     */
    void unsubscribe(long address, long length);

    /**
     * Whether all changes that have happened were told. Called before each hit of memory without an owner: should be as
     * fast as a volatile read.
     *
     * @return false while a change is being told.
     */
    default boolean quiet() {
        return true;
    }
}
