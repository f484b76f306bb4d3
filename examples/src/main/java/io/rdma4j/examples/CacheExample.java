/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.examples;

import io.rdma4j.fabric.CacheStatistics;
import io.rdma4j.fabric.CachedRegion;
import io.rdma4j.fabric.RegistrationCache;
import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.PinnedMemory;

/** The cache that hides FI_MR_LOCAL, used by an application itself: what is found, and what is registered again. */
final class CacheExample {
    private static final int LENGTH = 1 << 20;
    private static final int WRITABLE = AccessFlag.LOCAL_WRITE.bit();

    private CacheExample() {
    }

    static void run(final String device, final Page page) {
        try (TwoEnds ends = TwoEnds.messages(device, hints -> hints)) {
            final RegistrationCache cache = ends.near().domain().cache();
            final PinnedMemory memory = ends.near().memory(LENGTH);
            final long start = memory.address();
            page.section("acquire() and release(), as sends without a descriptor do; what owns the memory is named");
            page.done("the cache", cache.isEnabled() ? "is on" : "is off (FI_MR_CACHE_MAX_COUNT, FI_MR_CACHE_MONITOR)");
            acquire(page, cache, "1 MiB, for reading", start, LENGTH, memory, 0);
            acquire(page, cache, "the same again", start, LENGTH, memory, 0);
            acquire(page, cache, "100 bytes in it", start + 1000, 100, memory, 0);
            acquire(page, cache, "100 bytes in it, to be written too", start + 1000, 100, memory, WRITABLE);
            acquire(page, cache, "the same again", start + 1000, 100, memory, WRITABLE);
            acquire(page, cache, "1 MiB, for reading", start, LENGTH, memory, 0);
            cache.invalidate(start, LENGTH);
            page.done("invalidate(1 MiB)", "what a monitor does when memory is unmapped");
            acquire(page, cache, "1 MiB, for reading", start, LENGTH, memory, 0);
            cache.flush();
            page.done("flush()", entries(cache.statistics().entries()) + " left");
        }
    }

    private static String entries(final long count) {
        return count == 1 ? "1 entry" : count + " entries";
    }

    private static void acquire(
        final Page page, final RegistrationCache cache, final String what, final long address, final long length,
        final Object owner, final int access) {
        final CacheStatistics before = cache.statistics();
        final CachedRegion region = cache.acquire(address, length, owner, access);
        region.release();
        final CacheStatistics after = cache.statistics();
        page.done(what, after.hits() > before.hits() ? "found" : "registered, " + entries(after.entries()) + " now");
    }
}
