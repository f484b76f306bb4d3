/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.pvrdma.cmd;

import io.rdma4j.hw.layout.Fields;
import io.rdma4j.hw.layout.Fields.IntField;
import io.rdma4j.hw.layout.Fields.StructField;
import io.rdma4j.hw.layout.Flyweight;
import io.rdma4j.hw.layout.Layout;
import io.rdma4j.hw.pvrdma.AccessFlags;
import io.rdma4j.hw.pvrdma.QpState;

/**
 * Attributes of a queue pair, {@code struct pvrdma_qp_attr}. The whole struct travels; the {@link
 * io.rdma4j.hw.pvrdma.QpAttrMask} beside it says what counts.
 */
public final class QpAttr extends Flyweight<QpAttr> {
    private static final Fields<QpAttr> F = Fields.of("pvrdma_qp_attr");

    /** The {@link io.rdma4j.hw.pvrdma.QpState} asked for. */
    public static final IntField<QpAttr> QP_STATE = F.u32("qp_state", QpState.NAMES);
    /** The {@link io.rdma4j.hw.pvrdma.QpState} assumed. */
    public static final IntField<QpAttr> CUR_QP_STATE = F.u32("cur_qp_state", QpState.NAMES);
    /** The {@link io.rdma4j.hw.pvrdma.Mtu} code of the path. */
    public static final IntField<QpAttr> PATH_MTU = F.u32("path_mtu");
    /** The migration state: 0 migrated, 1 rearm, 2 armed. */
    public static final IntField<QpAttr> PATH_MIG_STATE = F.u32("path_mig_state");
    /** The Q_Key of a datagram QP. */
    public static final IntField<QpAttr> QKEY = F.u32("qkey");
    /** The first packet number expected, 24 bits. */
    public static final IntField<QpAttr> RQ_PSN = F.u32("rq_psn");
    /** The first packet number sent, 24 bits. */
    public static final IntField<QpAttr> SQ_PSN = F.u32("sq_psn");
    /** The number of the peer's QP. */
    public static final IntField<QpAttr> DEST_QP_NUM = F.u32("dest_qp_num");
    /** What the peer may do, {@link io.rdma4j.hw.pvrdma.AccessFlags}. */
    public static final IntField<QpAttr> QP_ACCESS_FLAGS = F.u32("qp_access_flags", AccessFlags.NAMES);
    /** The index of the partition key. */
    public static final IntField<QpAttr> PKEY_INDEX = F.u16("pkey_index");
    /** The index of the alternate path's partition key. */
    public static final IntField<QpAttr> ALT_PKEY_INDEX = F.u16("alt_pkey_index");
    /** Whether draining raises an event. */
    public static final IntField<QpAttr> EN_SQD_ASYNC_NOTIFY = F.u8("en_sqd_async_notify");
    /** Whether the send queue is draining. */
    public static final IntField<QpAttr> SQ_DRAINING = F.u8("sq_draining");
    /** The reads and atomics this side may have under way. */
    public static final IntField<QpAttr> MAX_RD_ATOMIC = F.u8("max_rd_atomic");
    /** The reads and atomics the peer may have under way. */
    public static final IntField<QpAttr> MAX_DEST_RD_ATOMIC = F.u8("max_dest_rd_atomic");
    /** The wait asked of a peer that found no receive, a code 0..31. */
    public static final IntField<QpAttr> MIN_RNR_TIMER = F.u8("min_rnr_timer");
    /** The port, counted from 1. */
    public static final IntField<QpAttr> PORT_NUM = F.u8("port_num");
    /** The acknowledge timeout: 4.096 us shifted left by this. */
    public static final IntField<QpAttr> TIMEOUT = F.u8("timeout");
    /** The retries after a timeout, 0..7. */
    public static final IntField<QpAttr> RETRY_CNT = F.u8("retry_cnt");
    /** The retries after "no receive", 7 for ever. */
    public static final IntField<QpAttr> RNR_RETRY = F.u8("rnr_retry");
    /** The alternate path's port. */
    public static final IntField<QpAttr> ALT_PORT_NUM = F.u8("alt_port_num");
    /** The alternate path's timeout. */
    public static final IntField<QpAttr> ALT_TIMEOUT = F.u8("alt_timeout");
    /** The sizes of the queues. */
    public static final StructField<QpAttr, QpCap> CAP = F.reserved(5).struct("cap", QpCap.LAYOUT, QpCap::new);
    /** The path to the peer. */
    public static final StructField<QpAttr, AhAttr> AH_ATTR = F.struct("ah_attr", AhAttr.LAYOUT, AhAttr::new);
    /** The alternate path. */
    public static final StructField<QpAttr, AhAttr> ALT_AH_ATTR = F.struct("alt_ah_attr", AhAttr.LAYOUT, AhAttr::new);
    /** What the struct looks like. */
    public static final Layout LAYOUT = F.build();

    /** Creates a view that looks at nothing yet. */
    public QpAttr() {
        super(LAYOUT);
    }
}
