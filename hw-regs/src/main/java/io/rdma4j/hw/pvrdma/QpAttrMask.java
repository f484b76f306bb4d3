/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.pvrdma;

import io.rdma4j.hw.layout.Names;

/**
 * Which attributes MODIFY_QP sets, or QUERY_QP asks for: {@code enum pvrdma_qp_attr_mask}.
 */
public final class QpAttrMask {
    /** qp_state. */
    public static final int PVRDMA_QP_STATE = 1 << 0;
    /** cur_qp_state. */
    public static final int PVRDMA_QP_CUR_STATE = 1 << 1;
    /** en_sqd_async_notify. */
    public static final int PVRDMA_QP_EN_SQD_ASYNC_NOTIFY = 1 << 2;
    /** qp_access_flags. */
    public static final int PVRDMA_QP_ACCESS_FLAGS = 1 << 3;
    /** pkey_index. */
    public static final int PVRDMA_QP_PKEY_INDEX = 1 << 4;
    /** port_num. */
    public static final int PVRDMA_QP_PORT = 1 << 5;
    /** qkey. */
    public static final int PVRDMA_QP_QKEY = 1 << 6;
    /** ah_attr. */
    public static final int PVRDMA_QP_AV = 1 << 7;
    /** path_mtu. */
    public static final int PVRDMA_QP_PATH_MTU = 1 << 8;
    /** timeout. */
    public static final int PVRDMA_QP_TIMEOUT = 1 << 9;
    /** retry_cnt. */
    public static final int PVRDMA_QP_RETRY_CNT = 1 << 10;
    /** rnr_retry. */
    public static final int PVRDMA_QP_RNR_RETRY = 1 << 11;
    /** rq_psn. */
    public static final int PVRDMA_QP_RQ_PSN = 1 << 12;
    /** max_rd_atomic. */
    public static final int PVRDMA_QP_MAX_QP_RD_ATOMIC = 1 << 13;
    /** alt_ah_attr and the other alt fields. */
    public static final int PVRDMA_QP_ALT_PATH = 1 << 14;
    /** min_rnr_timer. */
    public static final int PVRDMA_QP_MIN_RNR_TIMER = 1 << 15;
    /** sq_psn. */
    public static final int PVRDMA_QP_SQ_PSN = 1 << 16;
    /** max_dest_rd_atomic. */
    public static final int PVRDMA_QP_MAX_DEST_RD_ATOMIC = 1 << 17;
    /** path_mig_state. */
    public static final int PVRDMA_QP_PATH_MIG_STATE = 1 << 18;
    /** cap. */
    public static final int PVRDMA_QP_CAP = 1 << 19;
    /** dest_qp_num. */
    public static final int PVRDMA_QP_DEST_QPN = 1 << 20;

    /** The names of the bits, without their C prefix. */
    public static final Names NAMES = Names.ofBits("STATE", "CUR_STATE", "EN_SQD_ASYNC_NOTIFY", "ACCESS_FLAGS",
        "PKEY_INDEX", "PORT", "QKEY", "AV", "PATH_MTU", "TIMEOUT", "RETRY_CNT", "RNR_RETRY", "RQ_PSN",
        "MAX_QP_RD_ATOMIC", "ALT_PATH", "MIN_RNR_TIMER", "SQ_PSN", "MAX_DEST_RD_ATOMIC", "PATH_MIG_STATE", "CAP",
        "DEST_QPN");

    private QpAttrMask() {
    }
}
