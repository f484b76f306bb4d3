/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.ibv;

import io.rdma4j.RdmaException;
import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.AhAttributes;
import io.rdma4j.verbs.DeviceAttributes;
import io.rdma4j.verbs.Mtu;
import io.rdma4j.verbs.QpAttribute;
import io.rdma4j.verbs.QpAttributes;
import io.rdma4j.verbs.QpState;
import io.rdma4j.verbs.spi.QpTransitions;
import org.agrona.MutableDirectBuffer;

import java.util.EnumSet;

/** Attributes of a QP: their ranges, and their place in {@code struct ibv_qp_attr}. */
final class QpAttrs {
    private static final String MODIFY = "modify QP";
    private static final int MAX_24_BITS = 0xffffff;

    private QpAttrs() {
    }

    /** Refuses values that are out of range; which attributes may be given is for {@link QpTransitions}. */
    static void checkRanges(final QpAttributes a, final QpState current, final IbvContext context) {
        for (final QpAttribute attribute : a.given()) {
            checkRange(attribute, a, current, context);
        }
    }

    private static void checkRange(
        final QpAttribute attribute, final QpAttributes a, final QpState current, final IbvContext context) {
        final DeviceAttributes limits = context.attributes();
        switch (attribute) {
            case CUR_STATE:
                if (a.curState() != current) {
                    throw Errors.invalid(MODIFY, context, "CUR_STATE is %s, the QP is in %s", a.curState(), current);
                }
                break;
            case ACCESS_FLAGS:
                if (a.accessFlags().contains(AccessFlag.ON_DEMAND)) {
                    throw Errors.invalid(MODIFY, context, "ACCESS_FLAGS are %s; ON_DEMAND is of regions",
                        a.accessFlags());
                }
                break;
            case PKEY_INDEX:
                range(context, attribute, a.pkeyIndex(), limits.maxPkeys() - 1);
                break;
            case PORT:
                context.requirePort(a.port(), MODIFY);
                break;
            case AV:
                Ways.check(a.ah(), MODIFY, context);
                break;
            case PATH_MTU:
                Errors.notNull(a.pathMtu(), MODIFY, context, "PATH_MTU");
                break;
            case MAX_QP_RD_ATOMIC:
                range(context, attribute, a.maxRdAtomic(), limits.maxQpInitRdAtom());
                break;
            case MAX_DEST_RD_ATOMIC:
                range(context, attribute, a.maxDestRdAtomic(), limits.maxQpRdAtom());
                break;
            default:
                checkBits(attribute, a, context);
                break;
        }
    }

    private static void checkBits(final QpAttribute attribute, final QpAttributes a, final IbvContext context) {
        switch (attribute) {
            case TIMEOUT:
                range(context, attribute, a.timeout(), 31);
                break;
            case RETRY_CNT:
                range(context, attribute, a.retryCnt(), 7);
                break;
            case RNR_RETRY:
                range(context, attribute, a.rnrRetry(), 7);
                break;
            case MIN_RNR_TIMER:
                range(context, attribute, a.minRnrTimer(), 31);
                break;
            case RQ_PSN:
                range(context, attribute, a.rqPsn(), MAX_24_BITS);
                break;
            case SQ_PSN:
                range(context, attribute, a.sqPsn(), MAX_24_BITS);
                break;
            case DEST_QPN:
                range(context, attribute, a.destQpn(), MAX_24_BITS);
                break;
            default:
                break;
        }
    }

    private static void range(
        final IbvContext context, final QpAttribute attribute, final int value, final int max) {
        Errors.inRange(value, 0, max, MODIFY, context, attribute.name());
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

    /** Copies those attributes that were given. */
    static void merge(final QpAttributes from, final QpAttributes into) {
        for (final QpAttribute attribute : from.given()) {
            copy(attribute, from, into);
        }
    }

    /** Replaces those attributes that were set before by what the device answered. */
    static void refresh(final QpAttributes into, final MutableDirectBuffer answer, final IbvContext context) {
        final QpAttributes device = decode(answer, context);
        for (final QpAttribute attribute : EnumSet.copyOf(into.given())) {
            if (device.has(attribute)) {
                copy(attribute, device, into);
            }
        }
        into.state(device.state());
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
            .ah(way);
        final int mtu = from.getInt(Abi.QpAttr.PATH_MTU);
        if (mtu >= 1 && mtu <= Mtu.values().length) {
            a.pathMtu(Mtu.of(mtu));
        }
        return a;
    }

    private static void copy(final QpAttribute attribute, final QpAttributes from, final QpAttributes into) {
        switch (attribute) {
            case STATE -> into.state(from.state());
            case ACCESS_FLAGS -> into.accessFlags(from.accessFlags());
            case PKEY_INDEX -> into.pkeyIndex(from.pkeyIndex());
            case PORT -> into.port(from.port());
            case QKEY -> into.qkey(from.qkey());
            case AV -> into.ah(from.ah());
            case PATH_MTU -> into.pathMtu(from.pathMtu());
            case TIMEOUT -> into.timeout(from.timeout());
            case RETRY_CNT -> into.retryCnt(from.retryCnt());
            case RNR_RETRY -> into.rnrRetry(from.rnrRetry());
            case RQ_PSN -> into.rqPsn(from.rqPsn());
            case SQ_PSN -> into.sqPsn(from.sqPsn());
            case MAX_QP_RD_ATOMIC -> into.maxRdAtomic(from.maxRdAtomic());
            case MAX_DEST_RD_ATOMIC -> into.maxDestRdAtomic(from.maxDestRdAtomic());
            case MIN_RNR_TIMER -> into.minRnrTimer(from.minRnrTimer());
            case DEST_QPN -> into.destQpn(from.destQpn());
            // The others say how to change a QP, not how it is.
            default -> { }
        }
    }
}
