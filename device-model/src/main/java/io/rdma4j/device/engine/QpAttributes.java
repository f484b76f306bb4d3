/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.engine;

import io.rdma4j.hw.pvrdma.QpAttrMask;
import io.rdma4j.hw.pvrdma.cmd.AhAttr;
import io.rdma4j.hw.pvrdma.cmd.QpAttr;
import io.rdma4j.queues.Padded;

import org.agrona.concurrent.UnsafeBuffer;

import java.nio.ByteOrder;

/**
 * What MODIFY_QP has set so far: the whole struct for QUERY_QP, and in fields what the data path asks for. Written
 * under both locks of the queue pair, read under either.
 */
final class QpAttributes extends Padded {
    private final QpAttr shadow = new QpAttr().wrap(new UnsafeBuffer(new byte[QpAttr.LENGTH]), 0);
    private final UnsafeBuffer gid = new UnsafeBuffer(new byte[16]);
    int destQpn;
    int qkey;
    int access;
    int mtuShift = 12;
    int rnrRetry;
    int retryCnt;
    int timeout;
    int minRnrTimer;
    int maxRdAtomic;
    int maxDestRdAtomic;
    long destGidHigh;
    long destGidLow;
    int sgidIndex;
    /** How often something was set. */
    int changes;

    /** The struct as it was last set; sequence numbers and states in it are the caller's business. */
    QpAttr shadow() {
        return shadow;
    }

    void clear() {
        shadow.clear();
        refresh();
    }

    /** Takes over the fields that the mask names. */
    void set(int mask, QpAttr from) {
        if (has(mask, QpAttrMask.PVRDMA_QP_AV)) {
            copy(from, QpAttr.AH_ATTR_OFFSET, AhAttr.LENGTH);
        }
        if (has(mask, QpAttrMask.PVRDMA_QP_ALT_PATH)) {
            copy(from, QpAttr.ALT_AH_ATTR_OFFSET, AhAttr.LENGTH);
            shadow.altPkeyIndex(from.altPkeyIndex()).altPortNum(from.altPortNum()).altTimeout(from.altTimeout());
        }
        setAddressing(mask, from);
        setTransport(mask, from);
        refresh();
    }

    private void copy(QpAttr from, int at, int length) {
        shadow.buffer().putBytes(shadow.offset() + at, from.buffer(), from.offset() + at, length);
    }

    private void setAddressing(int mask, QpAttr from) {
        if (has(mask, QpAttrMask.PVRDMA_QP_ACCESS_FLAGS)) {
            shadow.qpAccessFlags(from.qpAccessFlags());
        }
        if (has(mask, QpAttrMask.PVRDMA_QP_PKEY_INDEX)) {
            shadow.pkeyIndex(from.pkeyIndex());
        }
        if (has(mask, QpAttrMask.PVRDMA_QP_PORT)) {
            shadow.portNum(from.portNum());
        }
        if (has(mask, QpAttrMask.PVRDMA_QP_QKEY)) {
            shadow.qkey(from.qkey());
        }
        if (has(mask, QpAttrMask.PVRDMA_QP_PATH_MTU)) {
            shadow.pathMtu(from.pathMtu());
        }
        if (has(mask, QpAttrMask.PVRDMA_QP_DEST_QPN)) {
            shadow.destQpNum(from.destQpNum());
        }
        if (has(mask, QpAttrMask.PVRDMA_QP_EN_SQD_ASYNC_NOTIFY)) {
            shadow.enSqdAsyncNotify(from.enSqdAsyncNotify());
        }
        if (has(mask, QpAttrMask.PVRDMA_QP_PATH_MIG_STATE)) {
            shadow.pathMigState(from.pathMigState());
        }
    }

    private void setTransport(int mask, QpAttr from) {
        if (has(mask, QpAttrMask.PVRDMA_QP_TIMEOUT)) {
            shadow.timeout(from.timeout());
        }
        if (has(mask, QpAttrMask.PVRDMA_QP_RETRY_CNT)) {
            shadow.retryCnt(from.retryCnt());
        }
        if (has(mask, QpAttrMask.PVRDMA_QP_RNR_RETRY)) {
            shadow.rnrRetry(from.rnrRetry());
        }
        if (has(mask, QpAttrMask.PVRDMA_QP_RQ_PSN)) {
            shadow.rqPsn(from.rqPsn());
        }
        if (has(mask, QpAttrMask.PVRDMA_QP_SQ_PSN)) {
            shadow.sqPsn(from.sqPsn());
        }
        if (has(mask, QpAttrMask.PVRDMA_QP_MAX_QP_RD_ATOMIC)) {
            shadow.maxRdAtomic(from.maxRdAtomic());
        }
        if (has(mask, QpAttrMask.PVRDMA_QP_MAX_DEST_RD_ATOMIC)) {
            shadow.maxDestRdAtomic(from.maxDestRdAtomic());
        }
        if (has(mask, QpAttrMask.PVRDMA_QP_MIN_RNR_TIMER)) {
            shadow.minRnrTimer(from.minRnrTimer());
        }
    }

    /** How many packets so many bytes are. */
    int packets(long length) {
        return (int) Math.max(1, length + (1L << mtuShift) - 1 >>> mtuShift);
    }

    private void refresh() {
        changes++;
        destQpn = shadow.destQpNum();
        qkey = shadow.qkey();
        access = shadow.qpAccessFlags();
        mtuShift = shadow.pathMtu() == 0 ? 12 : 7 + shadow.pathMtu();
        rnrRetry = shadow.rnrRetry();
        retryCnt = shadow.retryCnt();
        timeout = shadow.timeout();
        minRnrTimer = shadow.minRnrTimer();
        maxRdAtomic = shadow.maxRdAtomic();
        maxDestRdAtomic = shadow.maxDestRdAtomic();
        sgidIndex = shadow.ahAttr().sgidIndex();
        gid.putBytes(0, shadow.ahAttr().dgid());
        destGidHigh = gid.getLong(0, ByteOrder.BIG_ENDIAN);
        destGidLow = gid.getLong(8, ByteOrder.BIG_ENDIAN);
    }

    static boolean has(int mask, int bit) {
        return (mask & bit) != 0;
    }
}
