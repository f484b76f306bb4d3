/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import static io.rdma4j.hw.pvrdma.cmd.AhAttr.*;

import io.rdma4j.RdmaException;
import io.rdma4j.hw.pvrdma.AhFlags;
import io.rdma4j.hw.pvrdma.cmd.AhAttr;
import io.rdma4j.hw.pvrdma.cmd.QpAttr;
import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.AhAttributes;
import io.rdma4j.verbs.Gid;
import io.rdma4j.verbs.Mtu;
import io.rdma4j.verbs.QpAttribute;
import io.rdma4j.verbs.QpAttributes;
import io.rdma4j.verbs.QpState;
import io.rdma4j.verbs.spi.Errors;

import java.util.EnumSet;
import java.util.Set;

/** Attributes of a QP: their place in {@code struct pvrdma_qp_attr}. */
final class QpAttrs {

    /** Those that lie in the first 36 bytes, which every device answers properly. */
    private static final Set<QpAttribute> ALWAYS_ANSWERED = EnumSet.of(QpAttribute.PATH_MTU, QpAttribute.QKEY,
        QpAttribute.RQ_PSN, QpAttribute.SQ_PSN, QpAttribute.DEST_QPN);

    private QpAttrs() {
    }

    /** Writes what was given; the rest stays zero. */
    static void fill(final QpAttr to, final QpAttributes a) {
        to.set(QpAttr.QP_STATE, a.state().ordinal())
            .set(QpAttr.QKEY, a.qkey())
            .set(QpAttr.RQ_PSN, a.rqPsn())
            .set(QpAttr.SQ_PSN, a.sqPsn())
            .set(QpAttr.DEST_QP_NUM, a.destQpn())
            .set(QpAttr.QP_ACCESS_FLAGS, AccessFlag.bits(a.accessFlags()))
            .set(QpAttr.PKEY_INDEX, a.pkeyIndex())
            .set(QpAttr.EN_SQD_ASYNC_NOTIFY, a.sqdAsyncNotify() ? 1 : 0)
            .set(QpAttr.MAX_RD_ATOMIC, a.maxRdAtomic())
            .set(QpAttr.MAX_DEST_RD_ATOMIC, a.maxDestRdAtomic())
            .set(QpAttr.MIN_RNR_TIMER, a.minRnrTimer())
            .set(QpAttr.PORT_NUM, a.port())
            .set(QpAttr.TIMEOUT, a.timeout())
            .set(QpAttr.RETRY_CNT, a.retryCnt())
            .set(QpAttr.RNR_RETRY, a.rnrRetry());
        if (a.has(QpAttribute.CUR_STATE)) {
            to.set(QpAttr.CUR_QP_STATE, a.curState().ordinal());
        }
        if (a.has(QpAttribute.PATH_MTU)) {
            to.set(QpAttr.PATH_MTU, a.pathMtu().code());
        }
        if (a.has(QpAttribute.AV)) {
            fill(to.get(QpAttr.AH_ATTR), a.ah());
        }
    }

    private static void fill(final AhAttr to, final AhAttributes way) {
        to.set(GRH_DGID, way.dgid().bytes())
            .set(GRH_FLOW_LABEL, way.flowLabel())
            .set(GRH_SGID_INDEX, way.sgidIndex())
            .set(GRH_HOP_LIMIT, way.hopLimit())
            .set(GRH_TRAFFIC_CLASS, way.trafficClass())
            .set(SL, way.serviceLevel())
            .set(AH_FLAGS, AhFlags.PVRDMA_AH_GRH)
            .set(PORT_NUM, way.port())
            .set(DMAC, Addresses.mac(way.dgid()));
    }

    /** Replaces those attributes that were set before by what the device answered. */
    static void refresh(final QpAttributes into, final QpAttr answer, final boolean all, final PvrdmaContext context) {
        final QpAttributes device = decode(answer, context);
        final Set<QpAttribute> answered = EnumSet.copyOf(into.given());
        if (!all) {
            answered.retainAll(ALWAYS_ANSWERED);
        }
        into.merge(device, answered).state(device.state()).sqDraining(all && device.sqDraining());
    }

    private static QpAttributes decode(final QpAttr from, final PvrdmaContext context) {
        if (from.get(QpAttr.QP_STATE) < 0 || from.get(QpAttr.QP_STATE) >= QpState.values().length) {
            throw Errors.error(RdmaException.EIO, "query QP", context, "the device answered state %d",
                from.get(QpAttr.QP_STATE));
        }
        final QpAttributes a = QpAttributes.to(QpState.of(from.get(QpAttr.QP_STATE)))
            .accessFlags(AccessFlag.of(from.get(QpAttr.QP_ACCESS_FLAGS)))
            .pkeyIndex(from.get(QpAttr.PKEY_INDEX))
            .port(from.get(QpAttr.PORT_NUM))
            .qkey(from.get(QpAttr.QKEY))
            .timeout(from.get(QpAttr.TIMEOUT))
            .retryCnt(from.get(QpAttr.RETRY_CNT))
            .rnrRetry(from.get(QpAttr.RNR_RETRY))
            .rqPsn(from.get(QpAttr.RQ_PSN))
            .sqPsn(from.get(QpAttr.SQ_PSN))
            .maxRdAtomic(from.get(QpAttr.MAX_RD_ATOMIC))
            .maxDestRdAtomic(from.get(QpAttr.MAX_DEST_RD_ATOMIC))
            .minRnrTimer(from.get(QpAttr.MIN_RNR_TIMER))
            .destQpn(from.get(QpAttr.DEST_QP_NUM))
            .ah(decode(from.get(QpAttr.AH_ATTR)))
            .sqDraining(from.get(QpAttr.SQ_DRAINING) != 0);
        if (from.get(QpAttr.PATH_MTU) >= 1 && from.get(QpAttr.PATH_MTU) <= Mtu.values().length) {
            a.pathMtu(Mtu.of(from.get(QpAttr.PATH_MTU)));
        }
        return a;
    }

    private static AhAttributes decode(final AhAttr from) {
        return new AhAttributes(Gid.of(from.get(GRH_DGID)), from.get(GRH_SGID_INDEX), from.get(GRH_HOP_LIMIT),
            from.get(GRH_TRAFFIC_CLASS), from.get(GRH_FLOW_LABEL), from.get(SL), from.get(PORT_NUM));
    }
}
