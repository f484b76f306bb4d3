/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.engine;

import static io.rdma4j.hw.pvrdma.cmd.QpAttr.*;

import io.rdma4j.device.common.CommandError;
import io.rdma4j.device.common.Quirk;
import io.rdma4j.hw.pvrdma.AccessFlags;
import io.rdma4j.hw.pvrdma.AhFlags;
import io.rdma4j.hw.pvrdma.QpAttrMask;
import io.rdma4j.hw.pvrdma.QpState;
import io.rdma4j.hw.pvrdma.cmd.AhAttr;
import io.rdma4j.hw.pvrdma.cmd.QpAttr;
import io.rdma4j.hw.pvrdma.cmd.QpCap;

/** MODIFY_QP and QUERY_QP: checks each attribute, then takes the step and what follows of it. */
final class QpModifier {
    private static final int KNOWN = (1 << 21) - 1;
    private static final int MAX_PSN = 0xff_ffff;
    private static final int MAX_TIMER = 31;
    private static final int MAX_RETRY = 7;
    private static final int RIGHTS = 0x1f;
    private static final int CHECKED_BYTES_OF_QEMU = 36;

    private final EngineContext context;

    QpModifier(EngineContext context) {
        this.context = context;
    }

    void modify(QueuePair qp, int givenMask, QpAttr given) {
        final boolean forced = context.has(Quirk.QP_ATTRS_FORCED);
        if (forced && !has(givenMask, QpAttrMask.PVRDMA_QP_STATE)
            || context.has(Quirk.NO_FLUSH) && isOnlyRemembered(qp, givenMask, given)) {
            return;
        }
        final QpAttr attr = forced ? ForcedAttributes.values(given, context.limits().mtu()) : given;
        boolean done = false;
        while (!done) {
            final int from = qp.state();
            final int to = has(givenMask, QpAttrMask.PVRDMA_QP_STATE) ? attr.get(QP_STATE) : from;
            final int mask = forced ? ForcedAttributes.mask(qp.shape().type(), from, to, givenMask)
                : givenMask & KNOWN;
            requireStep(qp, from, to, mask, attr);
            requireAttributes(mask, attr);
            requireQkey(qp, mask, attr);
            if (from == QpState.PVRDMA_QPS_INIT && to == QpState.PVRDMA_QPS_RTR && !qp.isDatagram()
                && context.wire() != null) {
                context.wire().takeWhatCame();
            }
            done = step(qp, from, to, mask, attr);
            if (done) {
                follow(qp, to);
            }
        }
    }

    private static boolean has(int mask, int bit) {
        return (mask & bit) != 0;
    }

    /** QEMU acts on three states only and keeps the others in mind. */
    private boolean isOnlyRemembered(QueuePair qp, int mask, QpAttr attr) {
        final int to = has(mask, QpAttrMask.PVRDMA_QP_STATE) ? attr.get(QP_STATE) : qp.state();
        if (to >= QpState.PVRDMA_QPS_INIT && to <= QpState.PVRDMA_QPS_RTS) {
            if (to <= qp.state() && to == QpState.PVRDMA_QPS_INIT) {
                throw new CommandError(CommandError.EIO, "the backend's queue pair is past INIT");
            }
            qp.remember(-1);
            return false;
        }
        qp.remember(to);
        return true;
    }

    private void requireStep(QueuePair qp, int from, int to, int mask, QpAttr attr) {
        if (has(mask, QpAttrMask.PVRDMA_QP_CUR_STATE) && attr.get(CUR_QP_STATE) != from) {
            throw CommandError.invalid("cur_qp_state is %s, not %s", QpState.NAMES.of(from),
                QpState.NAMES.of(attr.get(CUR_QP_STATE)));
        }
        final int required = QpTransitions.required(qp.shape().type(), from, to);
        if (required == QpTransitions.FORBIDDEN) {
            throw CommandError.invalid("no step from %s to %s", QpState.NAMES.of(from), QpState.NAMES.of(to));
        }
        if ((required & ~mask) != 0) {
            throw CommandError.invalid("the step from %s to %s needs %s", QpState.NAMES.of(from), QpState.NAMES.of(to),
                QpAttrMask.NAMES.of(required & ~mask));
        }
        final int foreign = mask & ~required & ~QpAttrMask.PVRDMA_QP_STATE
            & ~QpTransitions.optional(qp.shape().type(), from, to);
        if (foreign != 0) {
            throw CommandError.invalid("the step from %s to %s does not take %s", QpState.NAMES.of(from),
                QpState.NAMES.of(to), QpAttrMask.NAMES.of(foreign));
        }
    }

    private void requireAttributes(int mask, QpAttr attr) {
        requireRange(mask, QpAttrMask.PVRDMA_QP_PORT, attr.get(PORT_NUM), 1, 1);
        requireRange(mask, QpAttrMask.PVRDMA_QP_PKEY_INDEX, attr.get(PKEY_INDEX), 0, 0);
        requireRange(mask, QpAttrMask.PVRDMA_QP_MIN_RNR_TIMER, attr.get(MIN_RNR_TIMER), 0, MAX_TIMER);
        requireRange(mask, QpAttrMask.PVRDMA_QP_TIMEOUT, attr.get(TIMEOUT), 0, MAX_TIMER);
        requireRange(mask, QpAttrMask.PVRDMA_QP_RETRY_CNT, attr.get(RETRY_CNT), 0, MAX_RETRY);
        requireRange(mask, QpAttrMask.PVRDMA_QP_RNR_RETRY, attr.get(RNR_RETRY), 0, MAX_RETRY);
        requireRange(mask, QpAttrMask.PVRDMA_QP_RQ_PSN, attr.get(RQ_PSN), 0, MAX_PSN);
        requireRange(mask, QpAttrMask.PVRDMA_QP_SQ_PSN, attr.get(SQ_PSN), 0, MAX_PSN);
        requireRange(mask, QpAttrMask.PVRDMA_QP_DEST_QPN, attr.get(DEST_QP_NUM), 0, MAX_PSN);
        requireRange(mask, QpAttrMask.PVRDMA_QP_PATH_MTU, attr.get(PATH_MTU), 1, context.limits().mtu());
        final int maxAtomic = Math.max(1, context.limits().maxRdAtomic());
        requireRange(mask, QpAttrMask.PVRDMA_QP_MAX_QP_RD_ATOMIC, attr.get(MAX_RD_ATOMIC), 0, maxAtomic);
        requireRange(mask, QpAttrMask.PVRDMA_QP_MAX_DEST_RD_ATOMIC, attr.get(MAX_DEST_RD_ATOMIC), 0, maxAtomic);
        if (has(mask, QpAttrMask.PVRDMA_QP_ACCESS_FLAGS)
            && (attr.get(QP_ACCESS_FLAGS) & ~RIGHTS & ~AccessFlags.IB_ACCESS_OPTIONAL) != 0) {
            throw CommandError.invalid("qp_access_flags %s", AccessFlags.NAMES.of(attr.get(QP_ACCESS_FLAGS)));
        }
        if (has(mask, QpAttrMask.PVRDMA_QP_AV)) {
            requirePath(attr.get(AH_ATTR));
        }
    }

    private static void requireQkey(QueuePair qp, int mask, QpAttr attr) {
        if (qp.isManagement() && has(mask, QpAttrMask.PVRDMA_QP_QKEY) && attr.get(QKEY) != QueuePairs.GSI_QKEY) {
            throw CommandError.invalid("qkey is 0x%x: that of queue pair 1 is 0x%x", attr.get(QKEY),
                QueuePairs.GSI_QKEY);
        }
    }

    private static void requireRange(int mask, int bit, int value, int min, int max) {
        if (has(mask, bit) && (value < min || value > max)) {
            throw CommandError.invalid("%s is %d: allowed are %d to %d", QpAttrMask.NAMES.of(bit), value, min, max);
        }
    }

    private void requirePath(AhAttr path) {
        if (path.get(AhAttr.PORT_NUM) != 1 || (path.get(AhAttr.AH_FLAGS) & AhFlags.PVRDMA_AH_GRH) == 0) {
            throw CommandError.invalid("ah_attr port_num %d ah_flags %d: port 1 and a GRH are needed",
                path.get(AhAttr.PORT_NUM), path.get(AhAttr.AH_FLAGS));
        }
        if (context.gids().entry(path.get(AhAttr.GRH_SGID_INDEX)) == null) {
            throw CommandError.invalid("ah_attr sgid_index %d is not bound", path.get(AhAttr.GRH_SGID_INDEX));
        }
    }

    private boolean step(QueuePair qp, int from, int to, int mask, QpAttr attr) {
        qp.requester().lock().lock();
        qp.receives().lock().lock();
        try {
            if (!qp.step(from, to)) {
                return false;
            }
            if (to == QpState.PVRDMA_QPS_RESET) {
                qp.attributes().clear();
                qp.requester().reset();
                qp.responder().reset();
            } else {
                take(qp, mask, attr);
                drain(qp, from, to, mask, attr);
                if (to == QpState.PVRDMA_QPS_ERR && from != to) {
                    qp.responder().stopAnswering();
                }
            }
            return true;
        } finally {
            qp.receives().lock().unlock();
            qp.requester().lock().unlock();
        }
    }

    private static void take(QueuePair qp, int mask, QpAttr attr) {
        qp.attributes().set(mask, attr);
        if (has(mask, QpAttrMask.PVRDMA_QP_SQ_PSN)) {
            qp.requester().executor().psn(attr.get(SQ_PSN));
        }
        if (has(mask, QpAttrMask.PVRDMA_QP_RQ_PSN)) {
            qp.responder().psn(attr.get(RQ_PSN));
        }
    }

    /** What has begun when the step to SQD is taken is finished there; the wish for an event holds for this step. */
    private static void drain(QueuePair qp, int from, int to, int mask, QpAttr attr) {
        if (from == QpState.PVRDMA_QPS_RTS && to == QpState.PVRDMA_QPS_SQD) {
            qp.requester().drain(has(mask, QpAttrMask.PVRDMA_QP_EN_SQD_ASYNC_NOTIFY)
                && attr.get(EN_SQD_ASYNC_NOTIFY) != 0);
        } else if (to != from) {
            qp.requester().stopDraining();
        }
    }

    private void follow(QueuePair qp, int to) {
        if (to == QpState.PVRDMA_QPS_ERR) {
            qp.requester().run();
            qp.responder().flushAfterFailure();
        } else if (to == QpState.PVRDMA_QPS_RTS) {
            qp.requester().run();
        } else if (to == QpState.PVRDMA_QPS_RTR) {
            context.link().changed();
        }
    }

    void query(QueuePair qp, QpAttr into) {
        qp.requester().lock().lock();
        qp.receives().lock().lock();
        into.copyFrom(qp.attributes().shadow().buffer(), qp.attributes().shadow().offset());
        final int state = qp.remembered() >= 0 ? qp.remembered() : qp.state();
        into.set(QP_STATE, state).set(CUR_QP_STATE, state).set(SQ_PSN, qp.requester().executor().psn())
            .set(RQ_PSN, qp.responder().psn()).set(SQ_DRAINING, qp.requester().isDraining() ? 1 : 0);
        qp.receives().lock().unlock();
        qp.requester().lock().unlock();
        fillCap(qp, into);
        if (context.has(Quirk.QUERY_GARBAGE)) {
            into.buffer().setMemory(into.offset() + CHECKED_BYTES_OF_QEMU,
                QpAttr.LAYOUT.length() - CHECKED_BYTES_OF_QEMU, (byte) 0xa5);
        }
    }

    private static void fillCap(QueuePair qp, QpAttr into) {
        final boolean shared = qp.shape().srq() != null;
        into.get(CAP).set(QpCap.MAX_SEND_WR, qp.requester().count()).set(QpCap.MAX_SEND_SGE, qp.shape().maxSge())
            .set(QpCap.MAX_RECV_WR, shared ? 0 : qp.receives().count())
            .set(QpCap.MAX_RECV_SGE, shared ? 0 : qp.receives().maxSge())
            .set(QpCap.MAX_INLINE_DATA, 0);
    }
}
