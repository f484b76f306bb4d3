/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.pvrdma;

/**
 * Which network header a datagram arrived with, {@code enum pvrdma_network_type}.
 */
public final class NetworkHdrType {
    /** InfiniBand or RoCE v1. */
    public static final int PVRDMA_NETWORK_IB = 0;
    /** RoCE v2 over IPv4. */
    public static final int PVRDMA_NETWORK_IPV4 = 1;
    /** RoCE v2 over IPv6. */
    public static final int PVRDMA_NETWORK_IPV6 = 2;

    private NetworkHdrType() {
    }

    /**
     * Names a value.
     *
     * @param value any value
     * @return the name without its C prefix, or "unknown" and the value
     */
    public static String name(int value) {
        return switch (value) {
            case PVRDMA_NETWORK_IB -> "IB";
            case PVRDMA_NETWORK_IPV4 -> "IPV4";
            case PVRDMA_NETWORK_IPV6 -> "IPV6";
            default -> "unknown " + value;
        };
    }
}
