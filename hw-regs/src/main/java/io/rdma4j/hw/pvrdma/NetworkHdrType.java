/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.pvrdma;

import io.rdma4j.hw.layout.Names;

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

    /** The names of the values, without their C prefix. */
    public static final Names NAMES = value -> switch (value) {
        case PVRDMA_NETWORK_IB -> "IB";
        case PVRDMA_NETWORK_IPV4 -> "IPV4";
        case PVRDMA_NETWORK_IPV6 -> "IPV6";
        default -> null;
    };

    private NetworkHdrType() {
    }
}
