/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.cache;

import static io.rdma4j.fabric.cache.Bench.RO;
import static io.rdma4j.fabric.cache.Bench.RW;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.fabric.CacheAttributes;
import io.rdma4j.verbs.ProtectionDomain;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What lies in an entry without the rights is registered with all of that entry, but only where that helps. */
@Timeout(60)
class WiderTest {
    private static final long LARGE = 1 << 30;
    /** Nothing is mapped there, no file either. */
    private static final long BASE = 1L << 45;
    private final List<Long> registered = new ArrayList<>();

    private RegionCache cache(final long largest, final CacheAttributes attributes) {
        final ProtectionDomain pd = NoDomain.ofSmall(largest, registered);
        return RegistrationCaches.create(pd, new CacheSettings(name -> null, name -> null,
            attributes.monitor(new TestMonitor())));
    }

    @Test
    void withoutRoomForAllOfItWhatWasAskedForIsServed() {
        try (RegionCache cache = cache(LARGE - 1, new CacheAttributes().maxCount(10))) {
            final Entry large = (Entry) cache.acquire(BASE, LARGE, RO);
            final Entry small = (Entry) cache.acquire(BASE + 16, 100, RW);
            assertThat(registered).containsExactly(LARGE, 100L);
            small.release();
            large.release();
        }
    }

    @Test
    void whatCannotBeKeptIsNotWidened() {
        try (RegionCache cache = cache(Long.MAX_VALUE, new CacheAttributes().maxCount(1))) {
            final Entry large = (Entry) cache.acquire(BASE, LARGE, RO);
            for (int i = 0; i < 3; i++) {
                cache.acquire(BASE + 16, 100, RW).release();
            }
            assertThat(registered).containsExactly(LARGE, 100L, 100L, 100L);
            large.release();
        }
    }
}
