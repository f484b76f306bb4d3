/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.pvrdma;

import io.rdma4j.hw.layout.Names;

/**
 * How a work request ended, {@code enum pvrdma_wc_status}; the numbers are those of {@code ibv_wc_status}.
 */
public final class WcStatus {
    /** Done. */
    public static final int PVRDMA_WC_SUCCESS = 0;
    /** A message was longer than the receive, or than the protocol allows. */
    public static final int PVRDMA_WC_LOC_LEN_ERR = 1;
    /** The QP could not do this operation. */
    public static final int PVRDMA_WC_LOC_QP_OP_ERR = 2;
    /** Local end-to-end context error (reliable datagrams). */
    public static final int PVRDMA_WC_LOC_EEC_OP_ERR = 3;
    /** A local key did not cover the memory named. */
    public static final int PVRDMA_WC_LOC_PROT_ERR = 4;
    /** The QP was in the error state: not executed. */
    public static final int PVRDMA_WC_WR_FLUSH_ERR = 5;
    /** A window could not be bound. */
    public static final int PVRDMA_WC_MW_BIND_ERR = 6;
    /** The peer's answer made no sense. */
    public static final int PVRDMA_WC_BAD_RESP_ERR = 7;
    /** Local memory was not writable. */
    public static final int PVRDMA_WC_LOC_ACCESS_ERR = 8;
    /** The peer found the request invalid. */
    public static final int PVRDMA_WC_REM_INV_REQ_ERR = 9;
    /** The peer refused access to its memory. */
    public static final int PVRDMA_WC_REM_ACCESS_ERR = 10;
    /** The peer could not do the operation. */
    public static final int PVRDMA_WC_REM_OP_ERR = 11;
    /** The peer did not acknowledge, retries used up. */
    public static final int PVRDMA_WC_RETRY_EXC_ERR = 12;
    /** The peer had no receive posted, retries used up. */
    public static final int PVRDMA_WC_RNR_RETRY_EXC_ERR = 13;
    /** Reliable datagram domain violated. */
    public static final int PVRDMA_WC_LOC_RDD_VIOL_ERR = 14;
    /** The peer refused a reliable datagram. */
    public static final int PVRDMA_WC_REM_INV_RD_REQ_ERR = 15;
    /** The peer aborted the operation. */
    public static final int PVRDMA_WC_REM_ABORT_ERR = 16;
    /** No such end-to-end context. */
    public static final int PVRDMA_WC_INV_EECN_ERR = 17;
    /** End-to-end context in the wrong state. */
    public static final int PVRDMA_WC_INV_EEC_STATE_ERR = 18;
    /** The device failed. */
    public static final int PVRDMA_WC_FATAL_ERR = 19;
    /** No answer in time. */
    public static final int PVRDMA_WC_RESP_TIMEOUT_ERR = 20;
    /** Anything else. */
    public static final int PVRDMA_WC_GENERAL_ERR = 21;

    /** The names of the values, without their C prefix. */
    public static final Names NAMES = value -> switch (value) {
        case PVRDMA_WC_SUCCESS -> "SUCCESS";
        case PVRDMA_WC_LOC_LEN_ERR -> "LOC_LEN_ERR";
        case PVRDMA_WC_LOC_QP_OP_ERR -> "LOC_QP_OP_ERR";
        case PVRDMA_WC_LOC_EEC_OP_ERR -> "LOC_EEC_OP_ERR";
        case PVRDMA_WC_LOC_PROT_ERR -> "LOC_PROT_ERR";
        case PVRDMA_WC_WR_FLUSH_ERR -> "WR_FLUSH_ERR";
        case PVRDMA_WC_MW_BIND_ERR -> "MW_BIND_ERR";
        case PVRDMA_WC_BAD_RESP_ERR -> "BAD_RESP_ERR";
        case PVRDMA_WC_LOC_ACCESS_ERR -> "LOC_ACCESS_ERR";
        case PVRDMA_WC_REM_INV_REQ_ERR -> "REM_INV_REQ_ERR";
        case PVRDMA_WC_REM_ACCESS_ERR -> "REM_ACCESS_ERR";
        case PVRDMA_WC_REM_OP_ERR -> "REM_OP_ERR";
        case PVRDMA_WC_RETRY_EXC_ERR -> "RETRY_EXC_ERR";
        case PVRDMA_WC_RNR_RETRY_EXC_ERR -> "RNR_RETRY_EXC_ERR";
        case PVRDMA_WC_LOC_RDD_VIOL_ERR -> "LOC_RDD_VIOL_ERR";
        case PVRDMA_WC_REM_INV_RD_REQ_ERR -> "REM_INV_RD_REQ_ERR";
        case PVRDMA_WC_REM_ABORT_ERR -> "REM_ABORT_ERR";
        case PVRDMA_WC_INV_EECN_ERR -> "INV_EECN_ERR";
        case PVRDMA_WC_INV_EEC_STATE_ERR -> "INV_EEC_STATE_ERR";
        case PVRDMA_WC_FATAL_ERR -> "FATAL_ERR";
        case PVRDMA_WC_RESP_TIMEOUT_ERR -> "RESP_TIMEOUT_ERR";
        case PVRDMA_WC_GENERAL_ERR -> "GENERAL_ERR";
        default -> null;
    };

    private WcStatus() {
    }
}
