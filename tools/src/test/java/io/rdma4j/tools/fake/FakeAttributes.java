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
    private static final Map<String, Object> VALUES = Map.of(
        "name", "fake pvrdma",
        "firmwareVersion", "1.2.3",
        "deviceVersion", 20,
        "nodeGuid", 0x0002_c903_0004_05f6L,
        "systemImageGuid", 0L,
        "vendorId", 0x15ad,
        "vendorPartId", 0x0820,
        "physicalPortCount", 1,
        "maxMrSize", 1L << 21,
        "pageSizeCap", 0x1000L);

    private FakeAttributes() {
    }

    static DeviceAttributes create() {
        return (DeviceAttributes) Proxy.newProxyInstance(FakeAttributes.class.getClassLoader(),
            new Class<?>[] {DeviceAttributes.class},
            (proxy, method, args) -> VALUES.getOrDefault(method.getName(), OTHER));
    }
}
