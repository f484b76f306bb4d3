/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.cache;

import io.rdma4j.verbs.spi.PublishedCache;

import java.util.concurrent.atomic.AtomicLong;

/**
 * What others see of a cache. Hits are told by the entries, some at a time ({@link UseCount#tell}), as each of them
 * would cost more than a hit; everything else after a miss or a change.
 */
final class CacheTotals {
    private final AtomicLong hits = new AtomicLong();
    private volatile PublishedCache published = PublishedCache.NONE;

    void publishAs(final PublishedCache cache) {
        published = cache;
    }

    /** From any thread, without a lock. Of those who come at the same time the last one to look leaves what is true. */
    void hits(final long more) {
        long total = hits.addAndGet(more);
        long told;
        do {
            told = total;
            published.hits(told);
            total = hits.get();
        } while (total != told);
    }

    synchronized void show(final CacheEntries entries, final Counters counters) {
        published.changes(counters.misses.sum(), counters.evictions.sum(), counters.invalidations.sum());
        published.contents(entries.count(), entries.bytes());
    }

    synchronized void close() {
        published.close();
        published = PublishedCache.NONE;
    }
}
