/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.spi;

import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.ProtectionDomain;

/**
 * What a protection domain implements that lets other processes see registration caches over it. Those who keep such a
 * cache ask for it with {@link #of}, and need not know whether there is one.
 */
public interface CachePublisher {
    /** Lets nobody see anything. */
    CachePublisher NONE = new CachePublisher() {
        @Override
        public PublishedCache publishCache(final long maxCount, final long maxBytes) {
            return PublishedCache.NONE;
        }

        @Override
        public void cached(final MemoryRegion region) {
            // Nobody sees the region.
        }
    };

    /**
     * What a protection domain has.
     *
     * @param pd any; also null.
     * @return never null.
     */
    static CachePublisher of(final ProtectionDomain pd) {
        return pd instanceof CachePublisher ? (CachePublisher) pd : NONE;
    }

    /**
     * Publishes a cache.
     *
     * @param maxCount most regions it keeps.
     * @param maxBytes most bytes they have.
     * @return to be closed with the cache.
     */
    PublishedCache publishCache(long maxCount, long maxBytes);

    /**
     * A region is in a cache.
     *
     * @param region one of this domain.
     */
    void cached(MemoryRegion region);
}
