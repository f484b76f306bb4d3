/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.spi;

import io.rdma4j.RdmaException;
import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.AhAttributes;
import io.rdma4j.verbs.DeviceAttributes;
import io.rdma4j.verbs.QpAttribute;
import io.rdma4j.verbs.QpAttributes;
import io.rdma4j.verbs.QpOptions;
import io.rdma4j.verbs.QpState;
import io.rdma4j.verbs.RdmaContext;

import java.util.function.BiConsumer;

/** The ranges of a QP's attributes. */
public final class QpRanges {
    /** What making a QP is called in messages. */
    public static final String CREATE = "create QP";
    /** What making a shared receive queue is called in messages. */
    public static final String CREATE_SHARED = "create SRQ";

    private static final String MODIFY = "modify QP";
    private static final int MAX_24_BITS = 0xffffff;

    private QpRanges() {
    }

    /**
     * Refuses values that are out of range; which attributes may be given is for {@link QpTransitions}.
     *
     * @param a       what was given.
     * @param current state of the QP.
     * @param context the device.
     * @param ways    refuses ways that the device cannot go, in the name of an operation.
     * @throws io.rdma4j.RdmaException EINVAL naming the attribute and its range.
     */
    public static void check(final QpAttributes a, final QpState current, final RdmaContext context,
        final BiConsumer<AhAttributes, String> ways) {
        for (final QpAttribute attribute : a.given()) {
            if (attribute == QpAttribute.AV) {
                ways.accept(a.ah(), MODIFY);
            } else {
                checkRange(attribute, a, current, context);
            }
        }
    }

    private static void checkRange(
        final QpAttribute attribute, final QpAttributes a, final QpState current, final RdmaContext context) {
        final DeviceAttributes limits = context.attributes();
        switch (attribute) {
            case CUR_STATE:
                if (a.curState() != current) {
                    throw Errors.invalid(MODIFY, context, "CUR_STATE is %s, the QP is in %s", a.curState(), current);
                }
                break;
            case ACCESS_FLAGS:
                if (a.accessFlags().contains(AccessFlag.ON_DEMAND)
                    || a.accessFlags().contains(AccessFlag.RELAXED_ORDERING)) {
                    throw Errors.invalid(MODIFY, context,
                        "ACCESS_FLAGS are %s; ON_DEMAND and RELAXED_ORDERING are of regions", a.accessFlags());
                }
                break;
            case PKEY_INDEX:
                range(context, attribute, a.pkeyIndex(), limits.maxPkeys() - 1);
                break;
            case PORT:
                Errors.requirePort(a.port(), MODIFY, context);
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

    private static void checkBits(final QpAttribute attribute, final QpAttributes a, final RdmaContext context) {
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
        final RdmaContext context, final QpAttribute attribute, final int value, final int max) {
        Errors.inRange(value, 0, max, MODIFY, context, attribute.name());
    }

    /**
     * Checks the sizes of a new QP.
     *
     * @param options what it shall be.
     * @param context the device.
     * @throws RdmaException EINVAL for one beyond the device's limits.
     */
    public static void checkSizes(final QpOptions options, final RdmaContext context) {
        final DeviceAttributes limits = context.attributes();
        Errors.inRange(options.maxSendSge(), 1, limits.maxSge(), CREATE, context, "maxSendSge");
        Errors.inRange(options.maxSendWr(), 1, limits.maxSendWr(options.maxSendSge()), CREATE, context, "maxSendWr");
        Errors.inRange(options.maxInline(), 0, QpOptions.MAX_INLINE, CREATE, context, "maxInline");
        if (options.srq() == null) {
            Errors.inRange(options.maxReceiveSge(), 1, limits.maxSge(), CREATE, context, "maxReceiveSge");
            Errors.inRange(options.maxReceiveWr(), 1, limits.maxReceiveWr(options.maxReceiveSge()), CREATE, context,
                "maxReceiveWr");
        }
    }

    /**
     * Checks the sizes of a new shared receive queue.
     *
     * @param maxWr   work requests.
     * @param maxSge  elements of each.
     * @param context the device.
     * @throws RdmaException EINVAL for one beyond the device's limits, EOPNOTSUPP if it has no such queues.
     */
    public static void checkSharedSizes(final int maxWr, final int maxSge, final RdmaContext context) {
        final DeviceAttributes limits = context.attributes();
        if (limits.maxSrq() == 0) {
            throw Errors.error(RdmaException.EOPNOTSUPP, CREATE_SHARED, context,
                "the device has no shared receive queues");
        }
        Errors.inRange(maxSge, 1, limits.maxSrqSge(), CREATE_SHARED, context, "maxSge");
        Errors.inRange(maxWr, 1, limits.maxSrqWr(maxSge), CREATE_SHARED, context, "maxWr");
    }
}
