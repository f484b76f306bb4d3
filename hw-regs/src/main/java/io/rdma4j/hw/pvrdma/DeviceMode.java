/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.pvrdma;

import io.rdma4j.hw.layout.Names;

/**
 * What the device speaks, {@code enum pvrdma_device_mode}.
 */
public final class DeviceMode {
    /** RDMA over Converged Ethernet: the only one in use. */
    public static final int PVRDMA_DEVICE_MODE_ROCE = 0;
    /** iWARP. */
    public static final int PVRDMA_DEVICE_MODE_IWARP = 1;
    /** InfiniBand. */
    public static final int PVRDMA_DEVICE_MODE_IB = 2;

    /** The names of the values, without their C prefix. */
    public static final Names NAMES = value -> switch (value) {
        case PVRDMA_DEVICE_MODE_ROCE -> "ROCE";
        case PVRDMA_DEVICE_MODE_IWARP -> "IWARP";
        case PVRDMA_DEVICE_MODE_IB -> "IB";
        default -> null;
    };

    private DeviceMode() {
    }
}
