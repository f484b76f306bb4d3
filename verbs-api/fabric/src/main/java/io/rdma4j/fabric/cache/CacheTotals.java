/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.cache;

import io.rdma4j.fabric.live.CacheKind;
import io.rdma4j.verbs.spi.PublishedObject;

import java.util.concurrent.atomic.AtomicLong;

/**
 * What others see of a cache. Hits are told by the entries, some at a time ({@link UseCount#tell}), as each of them
 * would cost more than a hit; everything else after a miss or a change.
 */
final class CacheTotals {
    private final AtomicLong hits = new AtomicLong();
    private volatile PublishedObject published = PublishedObject.NONE;

    void publishAs(final PublishedObject cache) {
        published = cache;
    }

    /** From any thread, without a lock. Of those who come at the same time the last one to look leaves what is true. */
    void hits(final long more) {
        long total = hits.addAndGet(more);
        long told;
        do {
            told = total;
            published.count(CacheKind.HITS, told);
            total = hits.get();
        } while (total != told);
    }

    synchronized void show(final CacheEntries entries, final Counters counters) {
        final PublishedObject cache = published;
        cache.count(CacheKind.MISSES, counters.misses.sum());
        cache.count(CacheKind.EVICTIONS, counters.evictions.sum());
        cache.count(CacheKind.INVALIDATIONS, counters.invalidations.sum());
        cache.count(CacheKind.CACHED_COUNT, entries.count());
        cache.count(CacheKind.CACHED_SIZE, entries.bytes());
    }

    synchronized void close() {
        published.close();
        published = PublishedObject.NONE;
    }
}
