/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.pvrdma;

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

    private DeviceMode() {
    }

    /**
     * Names a value.
     *
     * @param value any value
     * @return the name without its C prefix, or "unknown" and the value
     */
    public static String name(int value) {
        return switch (value) {
            case PVRDMA_DEVICE_MODE_ROCE -> "ROCE";
            case PVRDMA_DEVICE_MODE_IWARP -> "IWARP";
            case PVRDMA_DEVICE_MODE_IB -> "IB";
            default -> "unknown " + value;
        };
    }
}
