/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.pvrdma.cmd;

import io.rdma4j.hw.layout.Flyweight;
import io.rdma4j.hw.layout.Layout;
import io.rdma4j.hw.pvrdma.AccessFlags;
import io.rdma4j.hw.pvrdma.QpState;

/**
 * Attributes of a queue pair, {@code struct pvrdma_qp_attr}. The whole struct travels; the {@link
 * io.rdma4j.hw.pvrdma.QpAttrMask} beside it says what counts.
 */
public final class QpAttr extends Flyweight<QpAttr> {
    /** Offset of {@code qp_state}. */
    public static final int QP_STATE_OFFSET = 0;
    /** Offset of {@code cur_qp_state}. */
    public static final int CUR_QP_STATE_OFFSET = QP_STATE_OFFSET + 4;
    /** Offset of {@code path_mtu}. */
    public static final int PATH_MTU_OFFSET = CUR_QP_STATE_OFFSET + 4;
    /** Offset of {@code path_mig_state}. */
    public static final int PATH_MIG_STATE_OFFSET = PATH_MTU_OFFSET + 4;
    /** Offset of {@code qkey}. */
    public static final int QKEY_OFFSET = PATH_MIG_STATE_OFFSET + 4;
    /** Offset of {@code rq_psn}. */
    public static final int RQ_PSN_OFFSET = QKEY_OFFSET + 4;
    /** Offset of {@code sq_psn}. */
    public static final int SQ_PSN_OFFSET = RQ_PSN_OFFSET + 4;
    /** Offset of {@code dest_qp_num}. */
    public static final int DEST_QP_NUM_OFFSET = SQ_PSN_OFFSET + 4;
    /** Offset of {@code qp_access_flags}. */
    public static final int QP_ACCESS_FLAGS_OFFSET = DEST_QP_NUM_OFFSET + 4;
    /** Offset of {@code pkey_index}. */
    public static final int PKEY_INDEX_OFFSET = QP_ACCESS_FLAGS_OFFSET + 4;
    /** Offset of {@code alt_pkey_index}. */
    public static final int ALT_PKEY_INDEX_OFFSET = PKEY_INDEX_OFFSET + 2;
    /** Offset of {@code en_sqd_async_notify}. */
    public static final int EN_SQD_ASYNC_NOTIFY_OFFSET = ALT_PKEY_INDEX_OFFSET + 2;
    /** Offset of {@code sq_draining}. */
    public static final int SQ_DRAINING_OFFSET = EN_SQD_ASYNC_NOTIFY_OFFSET + 1;
    /** Offset of {@code max_rd_atomic}. */
    public static final int MAX_RD_ATOMIC_OFFSET = SQ_DRAINING_OFFSET + 1;
    /** Offset of {@code max_dest_rd_atomic}. */
    public static final int MAX_DEST_RD_ATOMIC_OFFSET = MAX_RD_ATOMIC_OFFSET + 1;
    /** Offset of {@code min_rnr_timer}. */
    public static final int MIN_RNR_TIMER_OFFSET = MAX_DEST_RD_ATOMIC_OFFSET + 1;
    /** Offset of {@code port_num}. */
    public static final int PORT_NUM_OFFSET = MIN_RNR_TIMER_OFFSET + 1;
    /** Offset of {@code timeout}. */
    public static final int TIMEOUT_OFFSET = PORT_NUM_OFFSET + 1;
    /** Offset of {@code retry_cnt}. */
    public static final int RETRY_CNT_OFFSET = TIMEOUT_OFFSET + 1;
    /** Offset of {@code rnr_retry}. */
    public static final int RNR_RETRY_OFFSET = RETRY_CNT_OFFSET + 1;
    /** Offset of {@code alt_port_num}. */
    public static final int ALT_PORT_NUM_OFFSET = RNR_RETRY_OFFSET + 1;
    /** Offset of {@code alt_timeout}. */
    public static final int ALT_TIMEOUT_OFFSET = ALT_PORT_NUM_OFFSET + 1;
    /** Offset of {@code cap}. */
    public static final int CAP_OFFSET = ALT_TIMEOUT_OFFSET + 6;
    /** Offset of {@code ah_attr}. */
    public static final int AH_ATTR_OFFSET = CAP_OFFSET + QpCap.LENGTH;
    /** Offset of {@code alt_ah_attr}. */
    public static final int ALT_AH_ATTR_OFFSET = AH_ATTR_OFFSET + AhAttr.LENGTH;
    /** Bytes of the struct. */
    public static final int LENGTH = ALT_AH_ATTR_OFFSET + AhAttr.LENGTH;

    /** What the struct looks like. */
    public static final Layout LAYOUT = Layout.of("pvrdma_qp_attr", LENGTH)
        .u32("qp_state", QP_STATE_OFFSET, QpState::name)
        .u32("cur_qp_state", CUR_QP_STATE_OFFSET, QpState::name)
        .u32("path_mtu", PATH_MTU_OFFSET)
        .u32("path_mig_state", PATH_MIG_STATE_OFFSET)
        .u32("qkey", QKEY_OFFSET)
        .u32("rq_psn", RQ_PSN_OFFSET)
        .u32("sq_psn", SQ_PSN_OFFSET)
        .u32("dest_qp_num", DEST_QP_NUM_OFFSET)
        .u32("qp_access_flags", QP_ACCESS_FLAGS_OFFSET, AccessFlags::name)
        .u16("pkey_index", PKEY_INDEX_OFFSET)
        .u16("alt_pkey_index", ALT_PKEY_INDEX_OFFSET)
        .u8("en_sqd_async_notify", EN_SQD_ASYNC_NOTIFY_OFFSET)
        .u8("sq_draining", SQ_DRAINING_OFFSET)
        .u8("max_rd_atomic", MAX_RD_ATOMIC_OFFSET)
        .u8("max_dest_rd_atomic", MAX_DEST_RD_ATOMIC_OFFSET)
        .u8("min_rnr_timer", MIN_RNR_TIMER_OFFSET)
        .u8("port_num", PORT_NUM_OFFSET)
        .u8("timeout", TIMEOUT_OFFSET)
        .u8("retry_cnt", RETRY_CNT_OFFSET)
        .u8("rnr_retry", RNR_RETRY_OFFSET)
        .u8("alt_port_num", ALT_PORT_NUM_OFFSET)
        .u8("alt_timeout", ALT_TIMEOUT_OFFSET)
        .reserved(5)
        .nested("cap", CAP_OFFSET, QpCap.LAYOUT)
        .nested("ah_attr", AH_ATTR_OFFSET, AhAttr.LAYOUT)
        .nested("alt_ah_attr", ALT_AH_ATTR_OFFSET, AhAttr.LAYOUT)
        .build();

    /** Creates a view that looks at nothing yet. */
    public QpAttr() {
    }

    @Override
    public Layout layout() {
        return LAYOUT;
    }

    /** {@return the {@link io.rdma4j.hw.pvrdma.QpState} asked for} */
    public int qpState() {
        return u32(QP_STATE_OFFSET);
    }

    /** {@return this, with {@code qp_state} set}
     * @param value the {@link io.rdma4j.hw.pvrdma.QpState} asked for */
    public QpAttr qpState(int value) {
        return u32(QP_STATE_OFFSET, value);
    }

    /** {@return the {@link io.rdma4j.hw.pvrdma.QpState} assumed} */
    public int curQpState() {
        return u32(CUR_QP_STATE_OFFSET);
    }

    /** {@return this, with {@code cur_qp_state} set}
     * @param value the {@link io.rdma4j.hw.pvrdma.QpState} assumed */
    public QpAttr curQpState(int value) {
        return u32(CUR_QP_STATE_OFFSET, value);
    }

    /** {@return the {@link io.rdma4j.hw.pvrdma.Mtu} code of the path} */
    public int pathMtu() {
        return u32(PATH_MTU_OFFSET);
    }

    /** {@return this, with {@code path_mtu} set}
     * @param value the {@link io.rdma4j.hw.pvrdma.Mtu} code of the path */
    public QpAttr pathMtu(int value) {
        return u32(PATH_MTU_OFFSET, value);
    }

    /** {@return the migration state: 0 migrated, 1 rearm, 2 armed} */
    public int pathMigState() {
        return u32(PATH_MIG_STATE_OFFSET);
    }

    /** {@return this, with {@code path_mig_state} set}
     * @param value the migration state: 0 migrated, 1 rearm, 2 armed */
    public QpAttr pathMigState(int value) {
        return u32(PATH_MIG_STATE_OFFSET, value);
    }

    /** {@return the Q_Key of a datagram QP} */
    public int qkey() {
        return u32(QKEY_OFFSET);
    }

    /** {@return this, with {@code qkey} set}
     * @param value the Q_Key of a datagram QP */
    public QpAttr qkey(int value) {
        return u32(QKEY_OFFSET, value);
    }

    /** {@return the first packet number expected, 24 bits} */
    public int rqPsn() {
        return u32(RQ_PSN_OFFSET);
    }

    /** {@return this, with {@code rq_psn} set}
     * @param value the first packet number expected, 24 bits */
    public QpAttr rqPsn(int value) {
        return u32(RQ_PSN_OFFSET, value);
    }

    /** {@return the first packet number sent, 24 bits} */
    public int sqPsn() {
        return u32(SQ_PSN_OFFSET);
    }

    /** {@return this, with {@code sq_psn} set}
     * @param value the first packet number sent, 24 bits */
    public QpAttr sqPsn(int value) {
        return u32(SQ_PSN_OFFSET, value);
    }

    /** {@return the number of the peer's QP} */
    public int destQpNum() {
        return u32(DEST_QP_NUM_OFFSET);
    }

    /** {@return this, with {@code dest_qp_num} set}
     * @param value the number of the peer's QP */
    public QpAttr destQpNum(int value) {
        return u32(DEST_QP_NUM_OFFSET, value);
    }

    /** {@return what the peer may do, {@link io.rdma4j.hw.pvrdma.AccessFlags}} */
    public int qpAccessFlags() {
        return u32(QP_ACCESS_FLAGS_OFFSET);
    }

    /** {@return this, with {@code qp_access_flags} set}
     * @param value what the peer may do, {@link io.rdma4j.hw.pvrdma.AccessFlags} */
    public QpAttr qpAccessFlags(int value) {
        return u32(QP_ACCESS_FLAGS_OFFSET, value);
    }

    /** {@return the index of the partition key} */
    public int pkeyIndex() {
        return u16(PKEY_INDEX_OFFSET);
    }

    /** {@return this, with {@code pkey_index} set}
     * @param value the index of the partition key */
    public QpAttr pkeyIndex(int value) {
        return u16(PKEY_INDEX_OFFSET, value);
    }

    /** {@return the index of the alternate path's partition key} */
    public int altPkeyIndex() {
        return u16(ALT_PKEY_INDEX_OFFSET);
    }

    /** {@return this, with {@code alt_pkey_index} set}
     * @param value the index of the alternate path's partition key */
    public QpAttr altPkeyIndex(int value) {
        return u16(ALT_PKEY_INDEX_OFFSET, value);
    }

    /** {@return whether draining raises an event} */
    public int enSqdAsyncNotify() {
        return u8(EN_SQD_ASYNC_NOTIFY_OFFSET);
    }

    /** {@return this, with {@code en_sqd_async_notify} set}
     * @param value whether draining raises an event */
    public QpAttr enSqdAsyncNotify(int value) {
        return u8(EN_SQD_ASYNC_NOTIFY_OFFSET, value);
    }

    /** {@return whether the send queue is draining} */
    public int sqDraining() {
        return u8(SQ_DRAINING_OFFSET);
    }

    /** {@return this, with {@code sq_draining} set}
     * @param value whether the send queue is draining */
    public QpAttr sqDraining(int value) {
        return u8(SQ_DRAINING_OFFSET, value);
    }

    /** {@return the reads and atomics this side may have under way} */
    public int maxRdAtomic() {
        return u8(MAX_RD_ATOMIC_OFFSET);
    }

    /** {@return this, with {@code max_rd_atomic} set}
     * @param value the reads and atomics this side may have under way */
    public QpAttr maxRdAtomic(int value) {
        return u8(MAX_RD_ATOMIC_OFFSET, value);
    }

    /** {@return the reads and atomics the peer may have under way} */
    public int maxDestRdAtomic() {
        return u8(MAX_DEST_RD_ATOMIC_OFFSET);
    }

    /** {@return this, with {@code max_dest_rd_atomic} set}
     * @param value the reads and atomics the peer may have under way */
    public QpAttr maxDestRdAtomic(int value) {
        return u8(MAX_DEST_RD_ATOMIC_OFFSET, value);
    }

    /** {@return the wait asked of a peer that found no receive, a code 0..31} */
    public int minRnrTimer() {
        return u8(MIN_RNR_TIMER_OFFSET);
    }

    /** {@return this, with {@code min_rnr_timer} set}
     * @param value the wait asked of a peer that found no receive, a code 0..31 */
    public QpAttr minRnrTimer(int value) {
        return u8(MIN_RNR_TIMER_OFFSET, value);
    }

    /** {@return the port, counted from 1} */
    public int portNum() {
        return u8(PORT_NUM_OFFSET);
    }

    /** {@return this, with {@code port_num} set}
     * @param value the port, counted from 1 */
    public QpAttr portNum(int value) {
        return u8(PORT_NUM_OFFSET, value);
    }

    /** {@return the acknowledge timeout: 4.096 us shifted left by this} */
    public int timeout() {
        return u8(TIMEOUT_OFFSET);
    }

    /** {@return this, with {@code timeout} set}
     * @param value the acknowledge timeout: 4.096 us shifted left by this */
    public QpAttr timeout(int value) {
        return u8(TIMEOUT_OFFSET, value);
    }

    /** {@return the retries after a timeout, 0..7} */
    public int retryCnt() {
        return u8(RETRY_CNT_OFFSET);
    }

    /** {@return this, with {@code retry_cnt} set}
     * @param value the retries after a timeout, 0..7 */
    public QpAttr retryCnt(int value) {
        return u8(RETRY_CNT_OFFSET, value);
    }

    /** {@return the retries after "no receive", 7 for ever} */
    public int rnrRetry() {
        return u8(RNR_RETRY_OFFSET);
    }

    /** {@return this, with {@code rnr_retry} set}
     * @param value the retries after "no receive", 7 for ever */
    public QpAttr rnrRetry(int value) {
        return u8(RNR_RETRY_OFFSET, value);
    }

    /** {@return the alternate path's port} */
    public int altPortNum() {
        return u8(ALT_PORT_NUM_OFFSET);
    }

    /** {@return this, with {@code alt_port_num} set}
     * @param value the alternate path's port */
    public QpAttr altPortNum(int value) {
        return u8(ALT_PORT_NUM_OFFSET, value);
    }

    /** {@return the alternate path's timeout} */
    public int altTimeout() {
        return u8(ALT_TIMEOUT_OFFSET);
    }

    /** {@return this, with {@code alt_timeout} set}
     * @param value the alternate path's timeout */
    public QpAttr altTimeout(int value) {
        return u8(ALT_TIMEOUT_OFFSET, value);
    }

    /** {@return the sizes of the queues: a view of its own} */
    public QpCap cap() {
        return new QpCap().wrap(buffer(), offset() + CAP_OFFSET);
    }

    /** {@return the path to the peer: a view of its own} */
    public AhAttr ahAttr() {
        return new AhAttr().wrap(buffer(), offset() + AH_ATTR_OFFSET);
    }

    /** {@return the alternate path: a view of its own} */
    public AhAttr altAhAttr() {
        return new AhAttr().wrap(buffer(), offset() + ALT_AH_ATTR_OFFSET);
    }
}
