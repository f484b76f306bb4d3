/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.engine;

import static io.rdma4j.hw.pvrdma.cmd.QpAttr.*;
import static java.util.Map.entry;

import io.rdma4j.hw.layout.Fields.IntField;
import io.rdma4j.hw.pvrdma.QpAttrMask;
import io.rdma4j.hw.pvrdma.cmd.AhAttr;
import io.rdma4j.hw.pvrdma.cmd.QpAttr;
import io.rdma4j.queues.Padded;

import org.agrona.concurrent.UnsafeBuffer;

import java.nio.ByteOrder;
import java.util.Map;

/**
 * What MODIFY_QP has set so far: the whole struct for QUERY_QP, and in fields what the data path asks for. Written
 * under both locks of the queue pair, read under either.
 */
final class QpAttributes extends Padded {
    /** The numbers, and the bit of the mask that names each. */
    private static final Map<IntField<QpAttr>, Integer> FIELDS = Map.ofEntries(
        entry(QP_ACCESS_FLAGS, QpAttrMask.PVRDMA_QP_ACCESS_FLAGS),
        entry(PKEY_INDEX, QpAttrMask.PVRDMA_QP_PKEY_INDEX),
        entry(PORT_NUM, QpAttrMask.PVRDMA_QP_PORT),
        entry(QKEY, QpAttrMask.PVRDMA_QP_QKEY),
        entry(PATH_MTU, QpAttrMask.PVRDMA_QP_PATH_MTU),
        entry(DEST_QP_NUM, QpAttrMask.PVRDMA_QP_DEST_QPN),
        entry(EN_SQD_ASYNC_NOTIFY, QpAttrMask.PVRDMA_QP_EN_SQD_ASYNC_NOTIFY),
        entry(PATH_MIG_STATE, QpAttrMask.PVRDMA_QP_PATH_MIG_STATE),
        entry(TIMEOUT, QpAttrMask.PVRDMA_QP_TIMEOUT),
        entry(RETRY_CNT, QpAttrMask.PVRDMA_QP_RETRY_CNT),
        entry(RNR_RETRY, QpAttrMask.PVRDMA_QP_RNR_RETRY),
        entry(RQ_PSN, QpAttrMask.PVRDMA_QP_RQ_PSN),
        entry(SQ_PSN, QpAttrMask.PVRDMA_QP_SQ_PSN),
        entry(MAX_RD_ATOMIC, QpAttrMask.PVRDMA_QP_MAX_QP_RD_ATOMIC),
        entry(MAX_DEST_RD_ATOMIC, QpAttrMask.PVRDMA_QP_MAX_DEST_RD_ATOMIC),
        entry(MIN_RNR_TIMER, QpAttrMask.PVRDMA_QP_MIN_RNR_TIMER),
        entry(ALT_PKEY_INDEX, QpAttrMask.PVRDMA_QP_ALT_PATH),
        entry(ALT_PORT_NUM, QpAttrMask.PVRDMA_QP_ALT_PATH),
        entry(ALT_TIMEOUT, QpAttrMask.PVRDMA_QP_ALT_PATH));
    private final QpAttr shadow = new QpAttr().wrap(new UnsafeBuffer(new byte[QpAttr.LAYOUT.length()]), 0);
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
    int trafficClass;
    int flowLabel;
    int hopLimit;
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
            copy(from, AH_ATTR.offset(), AhAttr.LAYOUT.length());
        }
        if (has(mask, QpAttrMask.PVRDMA_QP_ALT_PATH)) {
            copy(from, ALT_AH_ATTR.offset(), AhAttr.LAYOUT.length());
        }
        FIELDS.forEach((field, bit) -> {
            if (has(mask, bit)) {
                shadow.set(field, from.get(field));
            }
        });
        refresh();
    }

    private void copy(QpAttr from, int at, int length) {
        shadow.buffer().putBytes(shadow.offset() + at, from.buffer(), from.offset() + at, length);
    }

    /** How many packets so many bytes are. */
    int packets(long length) {
        return packets(length, mtuShift);
    }

    /** The same with packets of another size, 2 to the power of a number. */
    static int packets(long length, int mtuShift) {
        return (int) Math.max(1, length + (1L << mtuShift) - 1 >>> mtuShift);
    }

    private void refresh() {
        changes++;
        destQpn = shadow.get(DEST_QP_NUM);
        qkey = shadow.get(QKEY);
        access = shadow.get(QP_ACCESS_FLAGS);
        mtuShift = shadow.get(PATH_MTU) == 0 ? 12 : 7 + shadow.get(PATH_MTU);
        rnrRetry = shadow.get(RNR_RETRY);
        retryCnt = shadow.get(RETRY_CNT);
        timeout = shadow.get(TIMEOUT);
        minRnrTimer = shadow.get(MIN_RNR_TIMER);
        maxRdAtomic = shadow.get(MAX_RD_ATOMIC);
        maxDestRdAtomic = shadow.get(MAX_DEST_RD_ATOMIC);
        sgidIndex = shadow.get(AH_ATTR).get(AhAttr.GRH_SGID_INDEX);
        trafficClass = shadow.get(AH_ATTR).get(AhAttr.GRH_TRAFFIC_CLASS);
        flowLabel = shadow.get(AH_ATTR).get(AhAttr.GRH_FLOW_LABEL);
        hopLimit = shadow.get(AH_ATTR).get(AhAttr.GRH_HOP_LIMIT);
        gid.putBytes(0, shadow.get(AH_ATTR).get(AhAttr.GRH_DGID));
        destGidHigh = gid.getLong(0, ByteOrder.BIG_ENDIAN);
        destGidLow = gid.getLong(8, ByteOrder.BIG_ENDIAN);
    }

    static boolean has(int mask, int bit) {
        return (mask & bit) != 0;
    }
}
