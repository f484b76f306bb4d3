/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.pvrdma;

import io.rdma4j.hw.layout.Names;

/**
 * States of a queue pair, {@code enum pvrdma_qp_state}.
 */
public final class QpState {
    /** Nothing may be posted. */
    public static final int PVRDMA_QPS_RESET = 0;
    /** Receives may be posted. */
    public static final int PVRDMA_QPS_INIT = 1;
    /** Ready to receive. */
    public static final int PVRDMA_QPS_RTR = 2;
    /** Ready to send. */
    public static final int PVRDMA_QPS_RTS = 3;
    /** The send queue drains. */
    public static final int PVRDMA_QPS_SQD = 4;
    /** A send failed on an unreliable QP. */
    public static final int PVRDMA_QPS_SQE = 5;
    /** Everything posted is flushed. */
    public static final int PVRDMA_QPS_ERR = 6;

    /** The names of the values, without their C prefix. */
    public static final Names NAMES = value -> switch (value) {
        case PVRDMA_QPS_RESET -> "RESET";
        case PVRDMA_QPS_INIT -> "INIT";
        case PVRDMA_QPS_RTR -> "RTR";
        case PVRDMA_QPS_RTS -> "RTS";
        case PVRDMA_QPS_SQD -> "SQD";
        case PVRDMA_QPS_SQE -> "SQE";
        case PVRDMA_QPS_ERR -> "ERR";
        default -> null;
    };

    private QpState() {
    }
}
