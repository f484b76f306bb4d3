/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.provider;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.fabric.CacheAttributes;
import io.rdma4j.fabric.Domain;
import io.rdma4j.fabric.Fabric;
import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.FabricInfo;
import io.rdma4j.fabric.Fabrics;
import io.rdma4j.fabric.Hints;
import io.rdma4j.fabric.HmemIface;
import io.rdma4j.fabric.RegistrationCache;
import io.rdma4j.verbs.PinnedMemory;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.function.BiConsumer;

/** How an application says what the caches of its domains shall be like. */
@Timeout(60)
class CacheHintsTest {
    private static final int PAGE = 4096;

    private static void with(final CacheAttributes attributes, final BiConsumer<Domain, RegistrationCache> test) {
        final Hints hints = new Hints().address("emulated:cachehints").cache(attributes);
        attributes.maxCount(7);
        final FabricInfo info = Fabrics.getInfo(hints).get(0);
        try (Fabric fabric = Fabrics.open(info); Domain domain = fabric.openDomain(info)) {
            test.accept(domain, domain.cache());
        }
    }

    private static long entriesAfterUse(final Domain domain, final RegistrationCache cache) {
        try (PinnedMemory memory = domain.allocate(4 * PAGE)) {
            for (int page = 0; page < 4; page += 2) {
                cache.acquire(memory.address() + page * PAGE, PAGE, memory, 0).release();
            }
            return cache.statistics().entries();
        }
    }

    @Test
    void limitsReachTheDomain() {
        with(new CacheAttributes().maxCount(1), (domain, cache) ->
            assertThat(entriesAfterUse(domain, cache)).isEqualTo(1));
        with(new CacheAttributes().maxCount(0), (domain, cache) -> assertThat(cache.isEnabled()).isFalse());
        with(new CacheAttributes(), (domain, cache) -> assertThat(entriesAfterUse(domain, cache)).isEqualTo(2));
    }

    @Test
    void monitorsReachTheDomain() {
        with(new CacheAttributes().monitor("disabled"), (domain, cache) -> assertThat(cache.isEnabled()).isFalse());
        with(new CacheAttributes().monitor("memhooks"), (domain, cache) -> assertThat(cache.isEnabled()).isTrue());
    }

    @Test
    void systemPropertiesGoFirst() {
        System.setProperty("FI_MR_CACHE_MAX_COUNT", "0");
        try {
            with(new CacheAttributes().maxCount(5), (domain, cache) -> assertThat(cache.isEnabled()).isFalse());
        } finally {
            System.clearProperty("FI_MR_CACHE_MAX_COUNT");
        }
    }

    @Test
    void whatIsGivenIsCopied() {
        final Hints hints = new Hints().address("emulated:cachehints")
            .cache(new CacheAttributes().maxSize(5).strict(false).monitorEnabled(HmemIface.CUDA, false));
        hints.cache().maxSize(6);
        final FabricInfo info = Fabrics.getInfo(hints).get(0);
        info.cacheAttributes().maxSize(7);
        assertThat(info.cacheAttributes().maxSize()).isEqualTo(5);
        assertThat(info.cacheAttributes().isStrict()).isFalse();
        assertThat(info.cacheAttributes().isMonitorEnabled(HmemIface.CUDA)).isFalse();
        assertThat(info.cacheAttributes().maxCount()).isEqualTo(-1);
        assertThatThrownBy(() -> hints.cache(null)).isInstanceOf(FabricException.class).hasMessageContaining("null");
        assertThatThrownBy(() -> new CacheAttributes(null)).isInstanceOf(FabricException.class);
    }
}
