/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.engine;

import static io.rdma4j.hw.pvrdma.cmd.QpAttr.*;

import io.rdma4j.hw.pvrdma.AhFlags;
import io.rdma4j.hw.pvrdma.Mtu;
import io.rdma4j.hw.pvrdma.QpAttrMask;
import io.rdma4j.hw.pvrdma.cmd.AhAttr;
import io.rdma4j.hw.pvrdma.cmd.QpAttr;

import org.agrona.concurrent.UnsafeBuffer;

/**
 * What QEMU asks of its host for a MODIFY_QP: a few attributes of the request, whether its mask names them or not, and
 * values of its own for all else that the step needs.
 */
final class ForcedAttributes {
    private static final int MIN_RNR = 12;
    private static final int ACK_TIMEOUT = 14;
    private static final int RETRIES = 7;

    private ForcedAttributes() {
    }

    /**
     * {@return the mask of a step}
     *
     * @param type  of the queue pair
     * @param from  state
     * @param to    state
     * @param given mask of the request, of which only the Q_Key's bit counts where the step can do without one
     */
    static int mask(int type, int from, int to, int given) {
        final int required = QpTransitions.required(type, from, to);
        if (required == QpTransitions.FORBIDDEN) {
            return QpAttrMask.PVRDMA_QP_STATE;
        }
        return QpAttrMask.PVRDMA_QP_STATE | required
            | given & QpAttrMask.PVRDMA_QP_QKEY & QpTransitions.optional(type, from, to);
    }

    /**
     * {@return the values of a step}
     *
     * @param given  of the request
     * @param maxMtu of the port
     */
    static QpAttr values(QpAttr given, int maxMtu) {
        final QpAttr attr = new QpAttr().wrap(new UnsafeBuffer(new byte[QpAttr.LAYOUT.length()]), 0)
            .set(QP_STATE, given.get(QP_STATE)).set(QKEY, given.get(QKEY)).set(DEST_QP_NUM, given.get(DEST_QP_NUM))
            .set(RQ_PSN, given.get(RQ_PSN)).set(SQ_PSN, given.get(SQ_PSN)).set(PORT_NUM, 1)
            .set(PATH_MTU, Math.min(Mtu.PVRDMA_MTU_1024, maxMtu)).set(MAX_DEST_RD_ATOMIC, 1).set(MAX_RD_ATOMIC, 1)
            .set(MIN_RNR_TIMER, MIN_RNR).set(TIMEOUT, ACK_TIMEOUT).set(RETRY_CNT, RETRIES).set(RNR_RETRY, RETRIES);
        final AhAttr path = given.get(AH_ATTR);
        attr.get(AH_ATTR).set(AhAttr.GRH_DGID, path.get(AhAttr.GRH_DGID))
            .set(AhAttr.GRH_SGID_INDEX, path.get(AhAttr.GRH_SGID_INDEX)).set(AhAttr.GRH_HOP_LIMIT, 1)
            .set(AhAttr.AH_FLAGS, AhFlags.PVRDMA_AH_GRH).set(AhAttr.PORT_NUM, 1);
        return attr;
    }
}
