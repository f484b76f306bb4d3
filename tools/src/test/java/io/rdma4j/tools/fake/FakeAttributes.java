/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.fake;

import io.rdma4j.verbs.DeviceAttributes;

import java.lang.reflect.Proxy;
import java.util.Map;

/** Attributes of the fake device: named ones as given, every other limit 7. */
final class FakeAttributes {
    private static final int OTHER = 7;
    private static final Map<String, Object> VALUES = Map.ofEntries(
        Map.entry("name", "fake pvrdma"),
        Map.entry("firmwareVersion", "1.2.3"),
        Map.entry("deviceVersion", 20),
        Map.entry("nodeGuid", 0x0002_c903_0004_05f6L),
        Map.entry("systemImageGuid", 0L),
        Map.entry("vendorId", 0x15ad),
        Map.entry("vendorPartId", 0x0820),
        Map.entry("physicalPortCount", 1),
        Map.entry("maxMrSize", 1L << 21),
        Map.entry("pageSizeCap", 0x1000L),
        Map.entry("transportType", 1),
        Map.entry("details", Map.of("hca_core_clock", "1000kHZ")));

    private FakeAttributes() {
    }

    static DeviceAttributes create() {
        return (DeviceAttributes) Proxy.newProxyInstance(FakeAttributes.class.getClassLoader(),
            new Class<?>[] {DeviceAttributes.class},
            (proxy, method, args) -> VALUES.getOrDefault(method.getName(), OTHER));
    }
}
