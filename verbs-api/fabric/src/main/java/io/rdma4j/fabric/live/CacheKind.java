/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.live;

import io.rdma4j.base.LiveKind;

/** A registration cache. */
public final class CacheKind {
    private static final LiveKind.Builder K = LiveKind.of(11, "CACHE");

    /** Most regions it keeps. */
    public static final int MAX_CACHED_COUNT = K.attribute("max_cached_count");
    /** Most bytes they have. */
    public static final int MAX_CACHED_SIZE = K.attribute("max_cached_size");

    /** Acquisitions that found a region. */
    public static final int HITS = K.counter("hits");
    /** Acquisitions that had to register. */
    public static final int MISSES = K.counter("misses");
    /** Regions that had to make room. */
    public static final int EVICTIONS = K.counter("evictions");
    /** Regions that were dropped because their memory changed, or its owner is gone. */
    public static final int INVALIDATIONS = K.counter("invalidations");
    /** Regions in the cache. */
    public static final int CACHED_COUNT = K.counter("cached_count");
    /** Bytes of all of them. */
    public static final int CACHED_SIZE = K.counter("cached_size");

    /** The kind that has these. */
    public static final LiveKind KIND = K.build();

    private CacheKind() {
    }
}
