/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.ibv;

import io.rdma4j.RdmaException;
import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.AhAttributes;
import io.rdma4j.verbs.Mtu;
import io.rdma4j.verbs.QpAttribute;
import io.rdma4j.verbs.QpAttributes;
import io.rdma4j.verbs.QpState;
import io.rdma4j.verbs.spi.Errors;
import org.agrona.MutableDirectBuffer;

import java.util.EnumSet;

/** Attributes of a QP: their place in {@code struct ibv_qp_attr}. */
final class QpAttrs {
    private static final int MAX_24_BITS = 0xffffff;

    private QpAttrs() {
    }

    /** Writes what was given; the rest stays zero. */
    static void fill(final MutableDirectBuffer to, final QpAttributes a, final GidTable gids) {
        to.putInt(Abi.QpAttr.QP_STATE, a.state().ordinal());
        to.putInt(Abi.QpAttr.QKEY, a.qkey());
        to.putInt(Abi.QpAttr.RQ_PSN, a.rqPsn());
        to.putInt(Abi.QpAttr.SQ_PSN, a.sqPsn());
        to.putInt(Abi.QpAttr.DEST_QP_NUM, a.destQpn());
        to.putInt(Abi.QpAttr.QP_ACCESS_FLAGS, AccessFlag.bits(a.accessFlags()));
        to.putShort(Abi.QpAttr.PKEY_INDEX, (short) a.pkeyIndex());
        to.putByte(Abi.QpAttr.EN_SQD_ASYNC_NOTIFY, (byte) (a.sqdAsyncNotify() ? 1 : 0));
        to.putByte(Abi.QpAttr.MAX_RD_ATOMIC, (byte) a.maxRdAtomic());
        to.putByte(Abi.QpAttr.MAX_DEST_RD_ATOMIC, (byte) a.maxDestRdAtomic());
        to.putByte(Abi.QpAttr.MIN_RNR_TIMER, (byte) a.minRnrTimer());
        to.putByte(Abi.QpAttr.PORT_NUM, (byte) a.port());
        to.putByte(Abi.QpAttr.TIMEOUT, (byte) a.timeout());
        to.putByte(Abi.QpAttr.RETRY_CNT, (byte) a.retryCnt());
        to.putByte(Abi.QpAttr.RNR_RETRY, (byte) a.rnrRetry());
        if (a.has(QpAttribute.CUR_STATE)) {
            to.putInt(Abi.QpAttr.CUR_QP_STATE, a.curState().ordinal());
        }
        if (a.has(QpAttribute.PATH_MTU)) {
            to.putInt(Abi.QpAttr.PATH_MTU, a.pathMtu().code());
        }
        if (a.has(QpAttribute.AV)) {
            Ways.write(to, Abi.QpAttr.AH_ATTR, a.ah(), gids);
        }
    }

    /** Replaces those attributes that were set before by what the device answered. */
    static void refresh(final QpAttributes into, final MutableDirectBuffer answer, final IbvContext context) {
        final QpAttributes device = decode(answer, context);
        into.merge(device, EnumSet.copyOf(into.given())).state(device.state())
            .sqDraining(device.sqDraining());
    }

    private static QpAttributes decode(final MutableDirectBuffer from, final IbvContext context) {
        final int state = from.getInt(Abi.QpAttr.QP_STATE);
        if (state < 0 || state >= QpState.values().length) {
            throw Errors.error(RdmaException.EIO, "query QP", context, "the device answered state %d", state);
        }
        final AhAttributes way = Ways.read(from, Abi.QpAttr.AH_ATTR, context.gids);
        final QpAttributes a = QpAttributes.to(QpState.of(state))
            .accessFlags(AccessFlag.of(from.getInt(Abi.QpAttr.QP_ACCESS_FLAGS)))
            .pkeyIndex(from.getShort(Abi.QpAttr.PKEY_INDEX) & 0xffff)
            .port(from.getByte(Abi.QpAttr.PORT_NUM) & 0xff)
            .qkey(from.getInt(Abi.QpAttr.QKEY))
            .timeout(from.getByte(Abi.QpAttr.TIMEOUT) & 0xff)
            .retryCnt(from.getByte(Abi.QpAttr.RETRY_CNT) & 0xff)
            .rnrRetry(from.getByte(Abi.QpAttr.RNR_RETRY) & 0xff)
            .rqPsn(from.getInt(Abi.QpAttr.RQ_PSN) & MAX_24_BITS)
            .sqPsn(from.getInt(Abi.QpAttr.SQ_PSN) & MAX_24_BITS)
            .maxRdAtomic(from.getByte(Abi.QpAttr.MAX_RD_ATOMIC) & 0xff)
            .maxDestRdAtomic(from.getByte(Abi.QpAttr.MAX_DEST_RD_ATOMIC) & 0xff)
            .minRnrTimer(from.getByte(Abi.QpAttr.MIN_RNR_TIMER) & 0xff)
            .destQpn(from.getInt(Abi.QpAttr.DEST_QP_NUM) & MAX_24_BITS)
            .ah(way)
            .sqDraining(from.getByte(Abi.QpAttr.SQ_DRAINING) != 0);
        final int mtu = from.getInt(Abi.QpAttr.PATH_MTU);
        if (mtu >= 1 && mtu <= Mtu.values().length) {
            a.pathMtu(Mtu.of(mtu));
        }
        return a;
    }
}
