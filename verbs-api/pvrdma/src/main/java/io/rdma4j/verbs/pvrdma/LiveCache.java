/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import io.rdma4j.driver.live.LiveAttributes;
import io.rdma4j.driver.live.LiveCounters;
import io.rdma4j.driver.live.LiveEntry;
import io.rdma4j.driver.live.LiveKind;
import io.rdma4j.verbs.spi.PublishedCache;

/** The entry of a registration cache. */
final class LiveCache implements PublishedCache {
    private final LiveEntry entry;

    LiveCache(final PvrdmaContext context, final long maxCount, final long maxBytes) {
        entry = context.device.live().add(LiveKind.CACHE, context.nextNumber());
        entry.set(LiveAttributes.Cache.MAX_CACHED_COUNT, maxCount)
            .set(LiveAttributes.Cache.MAX_CACHED_SIZE, maxBytes)
            .publish();
    }

    @Override
    public void hits(final long total) {
        entry.count(LiveCounters.Cache.HITS, total);
    }

    @Override
    public void changes(final long misses, final long evictions, final long invalidations) {
        entry.count(LiveCounters.Cache.MISSES, misses);
        entry.count(LiveCounters.Cache.EVICTIONS, evictions);
        entry.count(LiveCounters.Cache.INVALIDATIONS, invalidations);
    }

    @Override
    public void contents(final long count, final long bytes) {
        entry.count(LiveCounters.Cache.CACHED_COUNT, count);
        entry.count(LiveCounters.Cache.CACHED_SIZE, bytes);
    }

    @Override
    public void close() {
        entry.close();
    }
}
