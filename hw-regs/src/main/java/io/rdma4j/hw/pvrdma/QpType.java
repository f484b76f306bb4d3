/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.pvrdma;

import io.rdma4j.hw.layout.Names;

/**
 * Kinds of queue pairs, {@code enum pvrdma_qp_type}. Drivers create GSI, RC and UD only.
 */
public final class QpType {
    /** Subnet management. */
    public static final int PVRDMA_QPT_SMI = 0;
    /** General services: the QP with number 1. */
    public static final int PVRDMA_QPT_GSI = 1;
    /** Reliable connection. */
    public static final int PVRDMA_QPT_RC = 2;
    /** Unreliable connection. */
    public static final int PVRDMA_QPT_UC = 3;
    /** Unreliable datagram. */
    public static final int PVRDMA_QPT_UD = 4;

    /** The names of the values, without their C prefix. */
    public static final Names NAMES = value -> switch (value) {
        case PVRDMA_QPT_SMI -> "SMI";
        case PVRDMA_QPT_GSI -> "GSI";
        case PVRDMA_QPT_RC -> "RC";
        case PVRDMA_QPT_UC -> "UC";
        case PVRDMA_QPT_UD -> "UD";
        default -> null;
    };

    private QpType() {
    }
}
