/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.spi;

/** A registration cache, as others see it. Each total is told by one thread at a time. */
public interface PublishedCache extends AutoCloseable {
    /** One that nobody sees. */
    PublishedCache NONE = new PublishedCache() {
        @Override
        public void hits(final long total) {
            // Nobody sees it.
        }

        @Override
        public void changes(final long misses, final long evictions, final long invalidations) {
            // Nobody sees them.
        }

        @Override
        public void contents(final long count, final long bytes) {
            // Nobody sees them.
        }

        @Override
        public void close() {
            // Nobody saw it.
        }
    };

    /**
     * Acquisitions that found a region.
     *
     * @param total so far.
     */
    void hits(long total);

    /**
     * What is counted beside hits.
     *
     * @param misses        acquisitions that had to register, so far.
     * @param evictions     regions that had to make room.
     * @param invalidations regions that were dropped because their memory changed, or its owner is gone.
     */
    void changes(long misses, long evictions, long invalidations);

    /**
     * What is in the cache.
     *
     * @param count regions.
     * @param bytes of all of them.
     */
    void contents(long count, long bytes);

    /** Nobody sees it any more. Harmless when called again. */
    @Override
    void close();
}
