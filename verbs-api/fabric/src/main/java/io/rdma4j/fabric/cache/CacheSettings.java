/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.cache;

import io.rdma4j.fabric.CacheAttributes;
import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.HmemIface;
import io.rdma4j.fabric.MemoryMonitor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntSupplier;
import java.util.function.UnaryOperator;

/** Where settings come from: the environment, then system properties, then attributes, then defaults. */
final class CacheSettings {
    static final String DISABLED = "disabled";
    static final String MAX_SIZE = "FI_MR_CACHE_MAX_SIZE";
    static final String MAX_COUNT = "FI_MR_CACHE_MAX_COUNT";
    static final String STRICT = "RDMA4J_MR_CACHE_STRICT";
    static final String MONITOR = "FI_MR_CACHE_MONITOR";
    static final long DEFAULT_COUNT = 1024;
    private static final Path MEMORY = Path.of("/proc/meminfo");

    private final UnaryOperator<String> environment;
    private final UnaryOperator<String> properties;
    private final CacheAttributes attributes;

    CacheSettings(
        final UnaryOperator<String> environment, final UnaryOperator<String> properties,
        final CacheAttributes attributes) {
        this.environment = environment;
        this.properties = properties;
        this.attributes = attributes;
    }

    static CacheSettings of(final CacheAttributes attributes) {
        return new CacheSettings(System::getenv, System::getProperty, attributes);
    }

    /**
     * By default at most half of the device's regions: who registers with verbs beside finds room, too.
     *
     * @param deviceRegions how many the device can have.
     */
    long maxCount(final IntSupplier deviceRegions) {
        if (text(MAX_COUNT) == null && attributes.maxCount() < 0) {
            return Math.min(DEFAULT_COUNT, Math.max(1, deviceRegions.getAsInt() / 2));
        }
        return number(MAX_COUNT, attributes.maxCount());
    }

    /** 0 is libfabric's way to ask for its formula. */
    long maxBytes() {
        final long size = number(MAX_SIZE, attributes.maxSize() < 0 ? Long.MAX_VALUE : attributes.maxSize());
        return size == 0 ? shareOfMemory() : size;
    }

    private static long shareOfMemory() {
        try {
            for (final String line : Files.readAllLines(MEMORY)) {
                if (line.startsWith("MemTotal:")) {
                    final long kib = Long.parseLong(line.replaceAll("\\D", ""));
                    return kib * 1024 / Runtime.getRuntime().availableProcessors() / 2;
                }
            }
        } catch (final IOException e) {
            throw unknownMemory(e);
        }
        throw unknownMemory(null);
    }

    private static FabricException unknownMemory(final IOException cause) {
        return FabricException.of("configure the registration cache")
            .detail("%s=0 asks for a share of this machine's memory, which %s does not tell", MAX_SIZE, MEMORY)
            .errno(FiErrno.FI_EINVAL).hint("set a number of bytes").cause(cause).build();
    }

    boolean isMonitorEnabled(final HmemIface iface) {
        return isOn("FI_MR_" + iface + "_CACHE_MONITOR_ENABLED", attributes.isMonitorEnabled(iface));
    }

    private boolean isOn(final String variable, final boolean otherwise) {
        final String text = text(variable);
        if (text == null) {
            return otherwise;
        }
        if (!text.equals("0") && !text.equals("1")) {
            throw bad(variable, text, "is neither 0 nor 1");
        }
        return text.equals("1");
    }

    Map<HmemIface, Boolean> monitorsEnabled() {
        final Map<HmemIface, Boolean> enabled = new EnumMap<>(HmemIface.class);
        for (final HmemIface iface : List.of(HmemIface.CUDA, HmemIface.ROCR, HmemIface.ZE)) {
            enabled.put(iface, isMonitorEnabled(iface));
        }
        return enabled;
    }

    /** The monitor; null if nothing is to be kept. */
    MemoryMonitor monitor() {
        final String configured = text(MONITOR);
        if (configured != null) {
            return byName(MONITOR, configured);
        }
        if (attributes.monitor() != null) {
            return attributes.monitor();
        }
        if (attributes.monitorName() != null) {
            return byName("monitor", attributes.monitorName());
        }
        final MemoryMonitor installed = MrCacheService.installed();
        if (installed != null) {
            return installed;
        }
        return UserfaultMonitor.isAvailable() ? userfault() : MemoryHooks.process();
    }

    private UserfaultMonitor userfault() {
        return new UserfaultMonitor(isOn(STRICT, attributes.isStrict()));
    }

    private MemoryMonitor byName(final String variable, final String name) {
        final MemoryMonitor installed = MrCacheService.installed();
        final MemoryMonitor own = attributes.monitor();
        return switch (name) {
            case DISABLED -> null;
            case UserfaultMonitor.NAME -> userfault();
            case MemoryHooks.NAME -> MemoryHooks.process();
            default -> {
                if (own != null && name.equals(own.name())) {
                    yield own;
                }
                if (installed != null && name.equals(installed.name())) {
                    yield installed;
                }
                throw bad(variable, name, "is none of userfaultfd, memhooks, disabled"
                    + (installed == null ? "" : ", " + installed.name()));
            }
        };
    }

    private long number(final String variable, final long otherwise) {
        final String text = text(variable);
        if (text == null) {
            return otherwise;
        }
        try {
            final long value = Long.parseLong(text);
            if (value >= 0) {
                return value;
            }
        } catch (final NumberFormatException e) {
            throw bad(variable, text, "is no decimal number from 0 to " + Long.MAX_VALUE);
        }
        throw bad(variable, text, "is less than 0");
    }

    private String text(final String variable) {
        final String text = environment.apply(variable);
        return text == null ? properties.apply(variable) : text;
    }

    private static FabricException bad(final String variable, final String value, final String why) {
        return FabricException.of("configure the registration cache").detail("%s='%s' %s", variable, value, why)
            .errno(FiErrno.FI_EINVAL).build();
    }
}
