/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.engine;

import static io.rdma4j.hw.pvrdma.QpAttrMask.PVRDMA_QP_ACCESS_FLAGS;
import static io.rdma4j.hw.pvrdma.QpAttrMask.PVRDMA_QP_ALT_PATH;
import static io.rdma4j.hw.pvrdma.QpAttrMask.PVRDMA_QP_AV;
import static io.rdma4j.hw.pvrdma.QpAttrMask.PVRDMA_QP_CUR_STATE;
import static io.rdma4j.hw.pvrdma.QpAttrMask.PVRDMA_QP_DEST_QPN;
import static io.rdma4j.hw.pvrdma.QpAttrMask.PVRDMA_QP_EN_SQD_ASYNC_NOTIFY;
import static io.rdma4j.hw.pvrdma.QpAttrMask.PVRDMA_QP_MAX_DEST_RD_ATOMIC;
import static io.rdma4j.hw.pvrdma.QpAttrMask.PVRDMA_QP_MAX_QP_RD_ATOMIC;
import static io.rdma4j.hw.pvrdma.QpAttrMask.PVRDMA_QP_MIN_RNR_TIMER;
import static io.rdma4j.hw.pvrdma.QpAttrMask.PVRDMA_QP_PATH_MIG_STATE;
import static io.rdma4j.hw.pvrdma.QpAttrMask.PVRDMA_QP_PATH_MTU;
import static io.rdma4j.hw.pvrdma.QpAttrMask.PVRDMA_QP_PKEY_INDEX;
import static io.rdma4j.hw.pvrdma.QpAttrMask.PVRDMA_QP_PORT;
import static io.rdma4j.hw.pvrdma.QpAttrMask.PVRDMA_QP_QKEY;
import static io.rdma4j.hw.pvrdma.QpAttrMask.PVRDMA_QP_RETRY_CNT;
import static io.rdma4j.hw.pvrdma.QpAttrMask.PVRDMA_QP_RNR_RETRY;
import static io.rdma4j.hw.pvrdma.QpAttrMask.PVRDMA_QP_RQ_PSN;
import static io.rdma4j.hw.pvrdma.QpAttrMask.PVRDMA_QP_SQ_PSN;
import static io.rdma4j.hw.pvrdma.QpAttrMask.PVRDMA_QP_TIMEOUT;
import static io.rdma4j.hw.pvrdma.QpState.PVRDMA_QPS_ERR;
import static io.rdma4j.hw.pvrdma.QpState.PVRDMA_QPS_INIT;
import static io.rdma4j.hw.pvrdma.QpState.PVRDMA_QPS_RESET;
import static io.rdma4j.hw.pvrdma.QpState.PVRDMA_QPS_RTR;
import static io.rdma4j.hw.pvrdma.QpState.PVRDMA_QPS_RTS;
import static io.rdma4j.hw.pvrdma.QpState.PVRDMA_QPS_SQD;
import static io.rdma4j.hw.pvrdma.QpState.PVRDMA_QPS_SQE;

import io.rdma4j.hw.pvrdma.QpType;

/**
 * The state machine of queue pairs: which steps there are, and which attributes each must or may bring (InfiniBand
 * 11.2.5.2, Modify Queue Pair).
 */
final class QpTransitions {
    /** Of {@link #required}: there is no such step. */
    static final int FORBIDDEN = -1;

    private static final int RTR_RC = PVRDMA_QP_AV | PVRDMA_QP_PATH_MTU | PVRDMA_QP_DEST_QPN | PVRDMA_QP_RQ_PSN
        | PVRDMA_QP_MAX_DEST_RD_ATOMIC | PVRDMA_QP_MIN_RNR_TIMER;
    private static final int RTS_RC = PVRDMA_QP_TIMEOUT | PVRDMA_QP_RETRY_CNT | PVRDMA_QP_RNR_RETRY | PVRDMA_QP_SQ_PSN
        | PVRDMA_QP_MAX_QP_RD_ATOMIC;
    private static final int RUNNING_RC = PVRDMA_QP_CUR_STATE | PVRDMA_QP_ALT_PATH | PVRDMA_QP_ACCESS_FLAGS
        | PVRDMA_QP_MIN_RNR_TIMER | PVRDMA_QP_PATH_MIG_STATE;
    private static final int RUNNING_UD = PVRDMA_QP_CUR_STATE | PVRDMA_QP_QKEY;
    private static final int DRAINED_RC = PVRDMA_QP_PORT | PVRDMA_QP_AV | PVRDMA_QP_TIMEOUT | PVRDMA_QP_RETRY_CNT
        | PVRDMA_QP_RNR_RETRY | PVRDMA_QP_MAX_QP_RD_ATOMIC | PVRDMA_QP_MAX_DEST_RD_ATOMIC | PVRDMA_QP_ALT_PATH
        | PVRDMA_QP_ACCESS_FLAGS | PVRDMA_QP_PKEY_INDEX | PVRDMA_QP_MIN_RNR_TIMER | PVRDMA_QP_PATH_MIG_STATE;
    private static final int KEYS_UD = PVRDMA_QP_PKEY_INDEX | PVRDMA_QP_QKEY;

    private QpTransitions() {
    }

    /** A management queue pair is its port's from the beginning. */
    private static int init(int type) {
        return switch (type) {
            case QpType.PVRDMA_QPT_RC -> PVRDMA_QP_PKEY_INDEX | PVRDMA_QP_PORT | PVRDMA_QP_ACCESS_FLAGS;
            case QpType.PVRDMA_QPT_GSI -> PVRDMA_QP_PKEY_INDEX | PVRDMA_QP_QKEY;
            default -> PVRDMA_QP_PKEY_INDEX | PVRDMA_QP_PORT | PVRDMA_QP_QKEY;
        };
    }

    /**
     * {@return the attributes that a step needs, or {@link #FORBIDDEN}}
     *
     * @param type of the queue pair
     * @param from state
     * @param to   state
     */
    static int required(int type, int from, int to) {
        if (to == PVRDMA_QPS_RESET) {
            return 0;
        }
        if (to == PVRDMA_QPS_ERR) {
            return from == PVRDMA_QPS_RESET ? FORBIDDEN : 0;
        }
        final boolean connected = type == QpType.PVRDMA_QPT_RC;
        return switch (from) {
            case PVRDMA_QPS_RESET -> to == PVRDMA_QPS_INIT ? init(type) : FORBIDDEN;
            case PVRDMA_QPS_INIT -> to == PVRDMA_QPS_INIT ? 0
                : to == PVRDMA_QPS_RTR ? connected ? RTR_RC : 0 : FORBIDDEN;
            case PVRDMA_QPS_RTR -> to == PVRDMA_QPS_RTS ? connected ? RTS_RC : PVRDMA_QP_SQ_PSN : FORBIDDEN;
            case PVRDMA_QPS_RTS -> to == PVRDMA_QPS_RTS || to == PVRDMA_QPS_SQD ? 0 : FORBIDDEN;
            case PVRDMA_QPS_SQD -> to == PVRDMA_QPS_RTS || to == PVRDMA_QPS_SQD ? 0 : FORBIDDEN;
            case PVRDMA_QPS_SQE -> to == PVRDMA_QPS_RTS && !connected ? 0 : FORBIDDEN;
            default -> FORBIDDEN;
        };
    }

    /**
     * {@return the attributes that a step may bring besides those that it needs and the state}
     *
     * @param type of the queue pair
     * @param from state
     * @param to   state, of a step that there is
     */
    static int optional(int type, int from, int to) {
        if (to == PVRDMA_QPS_RESET || to == PVRDMA_QPS_ERR) {
            return 0;
        }
        final boolean connected = type == QpType.PVRDMA_QPT_RC;
        return switch (from) {
            case PVRDMA_QPS_RESET -> 0;
            case PVRDMA_QPS_INIT -> to == PVRDMA_QPS_INIT ? init(type)
                : connected ? PVRDMA_QP_ALT_PATH | PVRDMA_QP_ACCESS_FLAGS | PVRDMA_QP_PKEY_INDEX : KEYS_UD;
            default -> to == PVRDMA_QPS_RTS ? connected ? RUNNING_RC : RUNNING_UD
                : from == PVRDMA_QPS_RTS ? PVRDMA_QP_EN_SQD_ASYNC_NOTIFY : connected ? DRAINED_RC : KEYS_UD;
        };
    }
}
