/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs;

/** How a work request ended, in the order of {@code enum ibv_wc_status}. */
public enum WcStatus {
    /** Done. */
    SUCCESS,
    /** The message was longer than the receive, or a send longer than allowed. */
    LOC_LEN_ERR,
    /** The local QP could not do this. */
    LOC_QP_OP_ERR,
    /** End-to-end context error. */
    LOC_EEC_OP_ERR,
    /** A local key, its bounds, its domain or its rights did not fit. */
    LOC_PROT_ERR,
    /** The QP went to the error state before the request was done. */
    WR_FLUSH_ERR,
    /** A memory window could not be bound. */
    MW_BIND_ERR,
    /** The peer's answer made no sense. */
    BAD_RESP_ERR,
    /** A local buffer was refused while a message arrived for it. */
    LOC_ACCESS_ERR,
    /** The peer refused the request: malformed, too long, or an operation that its queue pair does not allow. */
    REM_INV_REQ_ERR,
    /**
     * The peer refused the remote key, its bounds or rights; {@link QueuePair#failure()} names them, and where the peer
     * is an emulated device its log of distinct errors ({@code rdma4j errors --pid}) has the reason.
     */
    REM_ACCESS_ERR,
    /** The peer failed while carrying it out. */
    REM_OP_ERR,
    /** The peer did not answer. */
    RETRY_EXC_ERR,
    /** The peer had no receive posted for too long. */
    RNR_RETRY_EXC_ERR,
    /** Domain violation. */
    LOC_RDD_VIOL_ERR,
    /** Invalid domain request at the peer. */
    REM_INV_RD_REQ_ERR,
    /** The peer aborted. */
    REM_ABORT_ERR,
    /** Invalid end-to-end context number. */
    INV_EECN_ERR,
    /** Invalid end-to-end context state. */
    INV_EEC_STATE_ERR,
    /** Fatal error. */
    FATAL_ERR,
    /** Answer took too long. */
    RESP_TIMEOUT_ERR,
    /** Any other error. */
    GENERAL_ERR;

    private static final WcStatus[] VALUES = values();

    /**
     * From the number on the wire; allocates nothing.
     *
     * @param code any number.
     * @return the status; {@link #GENERAL_ERR} for a number that is not one.
     */
    public static WcStatus of(final int code) {
        return code >= 0 && code < VALUES.length ? VALUES[code] : GENERAL_ERR;
    }
}
