/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.fabric.CacheAttributes;
import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.HmemIface;
import io.rdma4j.fabric.MemoryMonitor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Where settings come from, bad ones, and the service mr_cache. */
class SettingsTest {
    private final Map<String, String> environment = new HashMap<>();
    private final Map<String, String> properties = new HashMap<>();
    private final CacheAttributes attributes = new CacheAttributes();
    private final CacheSettings settings = new CacheSettings(environment::get, properties::get, attributes);

    @Test
    void defaults() {
        assertThat(settings.maxCount(() -> 65_536)).isEqualTo(1024);
        assertThat(settings.maxBytes()).isEqualTo(Long.MAX_VALUE);
        assertThat(settings.monitor().name())
            .isEqualTo(UserfaultMonitor.isAvailable() ? UserfaultMonitor.NAME : MemoryHooks.NAME);
        assertThat(settings.monitorsEnabled()).containsOnly(Map.entry(HmemIface.CUDA, true),
            Map.entry(HmemIface.ROCR, true), Map.entry(HmemIface.ZE, true));
    }

    @Test
    void theEnvironmentGoesBeforePropertiesAndThoseBeforeAttributes() {
        attributes.maxCount(1).maxSize(10).monitor("memhooks").monitorEnabled(HmemIface.CUDA, false);
        assertThat(settings.maxCount(() -> 65_536)).isEqualTo(1);
        assertThat(settings.maxBytes()).isEqualTo(10);
        assertThat(settings.monitor()).isSameAs(MemoryHooks.process());
        assertThat(settings.isMonitorEnabled(HmemIface.CUDA)).isFalse();
        properties.putAll(Map.of("FI_MR_CACHE_MAX_COUNT", "2", "FI_MR_CACHE_MAX_SIZE", "20", "FI_MR_CACHE_MONITOR",
            "userfaultfd", "FI_MR_CUDA_CACHE_MONITOR_ENABLED", "1"));
        assertThat(settings.maxCount(() -> 65_536)).isEqualTo(2);
        assertThat(settings.maxBytes()).isEqualTo(20);
        assertThat(settings.monitor().name()).isEqualTo("userfaultfd");
        assertThat(settings.isMonitorEnabled(HmemIface.CUDA)).isTrue();
        environment.putAll(Map.of("FI_MR_CACHE_MAX_COUNT", "3", "FI_MR_CACHE_MAX_SIZE", "30", "FI_MR_CACHE_MONITOR",
            "disabled", "FI_MR_CUDA_CACHE_MONITOR_ENABLED", "0"));
        assertThat(settings.maxCount(() -> 65_536)).isEqualTo(3);
        assertThat(settings.maxBytes()).isEqualTo(30);
        assertThat(settings.monitor()).isNull();
        assertThat(settings.isMonitorEnabled(HmemIface.CUDA)).isFalse();
    }

    @Test
    void byDefaultHalfOfASmallDeviceIsNotForTheCache() {
        assertThat(settings.maxCount(() -> 1024)).isEqualTo(512);
        assertThat(settings.maxCount(() -> 1)).as("0 would keep nothing").isOne();
        attributes.maxCount(1000);
        assertThat(settings.maxCount(() -> 1024)).as("as asked for").isEqualTo(1000);
        environment.put("FI_MR_CACHE_MAX_COUNT", "2000");
        assertThat(settings.maxCount(() -> 1024)).as("as asked for").isEqualTo(2000);
    }

    @Test
    void sizeZeroIsAShareOfMemory() throws IOException {
        environment.put("FI_MR_CACHE_MAX_SIZE", "0");
        final String total = Files.readAllLines(Path.of("/proc/meminfo")).stream()
            .filter(line -> line.startsWith("MemTotal:")).findFirst().orElseThrow();
        final long bytes = Long.parseLong(total.replaceAll("\\D", "")) * 1024;
        assertThat(settings.maxBytes()).as("half of what there is for each processor")
            .isEqualTo(bytes / Runtime.getRuntime().availableProcessors() / 2);
    }

    @Test
    void anAttributeOfSizeZeroIsAShareOfMemory() {
        attributes.maxSize(0);
        assertThat(settings.maxBytes()).isBetween(1L << 20, 1L << 50);
    }

    @ParameterizedTest
    @CsvSource({
        "FI_MR_CACHE_MAX_SIZE, -1", "FI_MR_CACHE_MAX_SIZE, 1k", "FI_MR_CACHE_MAX_SIZE, ''",
        "FI_MR_CACHE_MAX_SIZE, 99999999999999999999", "FI_MR_CACHE_MAX_COUNT, -2", "FI_MR_CACHE_MAX_COUNT, many",
        "FI_MR_CACHE_MONITOR, kdreg2", "FI_MR_CACHE_MONITOR, ''", "FI_MR_CACHE_MONITOR, Disabled",
        "FI_MR_CUDA_CACHE_MONITOR_ENABLED, 2", "FI_MR_ROCR_CACHE_MONITOR_ENABLED, yes",
        "FI_MR_ZE_CACHE_MONITOR_ENABLED, ''"
    })
    void aBadValueIsNamedWithItsVariable(final String variable, final String value) {
        environment.put(variable, value);
        assertInvalid(() -> RegistrationCaches.create(NoDomain.PD, settings), variable, "'" + value + "'");
    }

    private static void assertInvalid(final ThrowingCallable call, final String... words) {
        assertThatThrownBy(call).isInstanceOf(FabricException.class).hasMessageContainingAll(words)
            .extracting(e -> ((FabricException) e).errno()).isEqualTo(FiErrno.FI_EINVAL);
    }

    private static void assertErrno(final ThrowingCallable call, final int errno) {
        assertThatThrownBy(call).isInstanceOf(FabricException.class)
            .extracting(e -> ((FabricException) e).errno()).isEqualTo(errno);
    }

    @Test
    void badAttributes() {
        assertInvalid(() -> attributes.maxCount(-1), "maxCount", "-1");
        assertInvalid(() -> attributes.maxSize(-1), "maxSize", "-1");
        assertInvalid(() -> attributes.monitor((String) null), "null");
        assertInvalid(() -> attributes.monitor((MemoryMonitor) null), "null");
        assertInvalid(() -> attributes.monitorEnabled(null, true), "null");
        assertInvalid(() -> attributes.monitorEnabled(HmemIface.NEURON, true), "NEURON");
        assertInvalid(() -> attributes.isMonitorEnabled(HmemIface.SYSTEM), "SYSTEM");
        assertInvalid(() -> RegistrationCaches.create(null, attributes), "protection domain");
        assertInvalid(() -> RegistrationCaches.create(NoDomain.PD, (CacheAttributes) null), "attributes");
        attributes.monitor("nobody");
        assertInvalid(settings::monitor, "'nobody'");
    }

    @Test
    void theServiceIsOpenedAsLibfabricHasIt() {
        assertErrno(() -> MrCacheService.open(1 << 16 | 12, null, 0), FiErrno.FI_EINVAL);
        assertErrno(() -> MrCacheService.open(MrCacheService.MIN_VERSION, new byte[1], 0), FiErrno.FI_EINVAL);
        assertErrno(() -> MrCacheService.open(MrCacheService.MIN_VERSION, null, 1), FiErrno.FI_EBADFLAGS);
        MrCacheService.open(1 << 16 | 13, null, 0).close();
        MrCacheService.open(2 << 16, new byte[0], 0).close();
    }

    @Test
    void onlyMonitorsCanBeBoundAndOneAtATime() {
        final TestMonitor own = new TestMonitor();
        final MrCacheService service = MrCacheService.open(MrCacheService.MIN_VERSION, null, 0);
        final MrCacheService other = MrCacheService.open(MrCacheService.MIN_VERSION, null, 0);
        try {
            assertErrno(() -> service.bind("a monitor", 0), FiErrno.FI_EINVAL);
            assertErrno(() -> service.bind(null, 0), FiErrno.FI_EINVAL);
            assertErrno(() -> service.bind(own, 1), FiErrno.FI_EBADFLAGS);
            service.bind(own, 0);
            assertErrno(() -> service.bind(own, 0), FiErrno.FI_EBUSY);
            assertErrno(() -> other.bind(new TestMonitor(), 0), FiErrno.FI_EBUSY);
            assertThat(settings.monitor()).isSameAs(own);
            environment.put(CacheSettings.MONITOR, "test");
            assertThat(settings.monitor()).as("by its name").isSameAs(own);
            environment.put(CacheSettings.MONITOR, "memhooks");
            assertThat(settings.monitor()).isSameAs(MemoryHooks.process());
            other.close();
            environment.clear();
            assertThat(settings.monitor()).as("the other service had installed none").isSameAs(own);
            service.close();
            assertThat(settings.monitor()).isNotSameAs(own);
            assertErrno(() -> service.bind(own, 0), FiErrno.FI_EBADFD);
        } finally {
            service.close();
            other.close();
        }
    }

    @Test
    void aBoundMonitorServesCaches() {
        final TestMonitor own = new TestMonitor();
        try (MrCacheService service = MrCacheService.open(MrCacheService.MIN_VERSION, null, 0);
            Bench bench = Bench.of("service")) {
            service.bind(own, 0);
            try (RegionCache cache = RegistrationCaches.create(bench.pd, settings)) {
                assertThat(cache.monitorName()).isEqualTo("test");
                cache.acquire(bench.base, 10, 0).release();
                assertThat(own.subscriptions).hasValue(1);
                own.change(bench.base, 1);
                assertThat(cache.statistics().entries()).isZero();
            }
            assertThat(own.listeners).isEmpty();
        }
    }

    @Test
    void theStrictCheckIsOnUnlessSomebodySaysOtherwise() {
        final CacheAttributes off = new CacheAttributes().monitor("userfaultfd").strict(false);
        final CacheAttributes unset = new CacheAttributes().monitor("userfaultfd");
        assertThat(unset.isStrict()).isTrue();
        assertThat(new CacheSettings(name -> null, name -> null, unset).monitor()).asString().contains("strict");
        assertThat(new CacheSettings(name -> null, name -> null, off).monitor()).asString().doesNotContain("strict");
        assertThat(new CacheSettings(ofStrict("1"), name -> null, off).monitor()).asString().contains("strict");
        assertThat(new CacheSettings(name -> null, ofStrict("0"), unset).monitor()).asString()
            .doesNotContain("strict");
        assertThatThrownBy(() -> new CacheSettings(ofStrict("yes"), name -> null, unset).monitor())
            .isInstanceOf(FabricException.class).hasMessageContaining("RDMA4J_MR_CACHE_STRICT='yes'");
    }

    private static UnaryOperator<String> ofStrict(final String value) {
        return name -> name.equals(CacheSettings.STRICT) ? value : null;
    }
}
