/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.pvrdma.cmd;

import io.rdma4j.hw.pvrdma.Bar1;
import org.agrona.MutableDirectBuffer;

/**
 * What CREATE_QP answers, in whichever layout the device uses: {@link CreateQpResponse} before version 20,
 * {@link CreateQpResponseV2} from then on.
 *
 * @param qpn        the number of the QP, by which peers know it
 * @param qpHandle   the handle of the QP, for commands and doorbells
 * @param maxSendWr  the slots of the send queue
 * @param maxRecvWr  the slots of the receive queue
 * @param maxSendSge the SGEs of a send
 * @param maxRecvSge the SGEs of a receive
 */
public record CreateQpResult(int qpn, int qpHandle, int maxSendWr, int maxRecvWr, int maxSendSge, int maxRecvSge) {

    /**
     * Reads a response.
     *
     * @param deviceVersion the VERSION register
     * @param slot          begins with the response
     * @return what it says
     */
    public static CreateQpResult read(int deviceVersion, MutableDirectBuffer slot) {
        if (deviceVersion < Bar1.PVRDMA_QPHANDLE_VERSION) {
            final CreateQpResponse r = new CreateQpResponse().wrap(slot, 0);
            return new CreateQpResult(r.get(CreateQpResponse.QPN), r.get(CreateQpResponse.QPN),
                r.get(CreateQpResponse.MAX_SEND_WR), r.get(CreateQpResponse.MAX_RECV_WR),
                r.get(CreateQpResponse.MAX_SEND_SGE), r.get(CreateQpResponse.MAX_RECV_SGE));
        }
        final CreateQpResponseV2 r = new CreateQpResponseV2().wrap(slot, 0);
        return new CreateQpResult(r.get(CreateQpResponseV2.QPN), r.get(CreateQpResponseV2.QP_HANDLE),
            r.get(CreateQpResponseV2.MAX_SEND_WR), r.get(CreateQpResponseV2.MAX_RECV_WR),
            r.get(CreateQpResponseV2.MAX_SEND_SGE), r.get(CreateQpResponseV2.MAX_RECV_SGE));
    }

    /**
     * Writes a response, but for its header; the inline bytes are 0.
     *
     * @param deviceVersion the VERSION register
     * @param slot          begins with the response
     * @throws IllegalArgumentException if the layout has no handle and the handle is not the number
     */
    public void write(int deviceVersion, MutableDirectBuffer slot) {
        if (deviceVersion >= Bar1.PVRDMA_QPHANDLE_VERSION) {
            new CreateQpResponseV2().wrap(slot, 0)
                .set(CreateQpResponseV2.QPN, qpn).set(CreateQpResponseV2.QP_HANDLE, qpHandle)
                .set(CreateQpResponseV2.MAX_SEND_WR, maxSendWr).set(CreateQpResponseV2.MAX_RECV_WR, maxRecvWr)
                .set(CreateQpResponseV2.MAX_SEND_SGE, maxSendSge).set(CreateQpResponseV2.MAX_RECV_SGE, maxRecvSge)
                .set(CreateQpResponseV2.MAX_INLINE_DATA, 0);
            return;
        }
        if (qpHandle != qpn) {
            throw new IllegalArgumentException("qp_handle " + qpHandle + ", qpn " + qpn
                + ": in this layout the handle is the number");
        }
        new CreateQpResponse().wrap(slot, 0).set(CreateQpResponse.QPN, qpn)
            .set(CreateQpResponse.MAX_SEND_WR, maxSendWr).set(CreateQpResponse.MAX_RECV_WR, maxRecvWr)
            .set(CreateQpResponse.MAX_SEND_SGE, maxSendSge).set(CreateQpResponse.MAX_RECV_SGE, maxRecvSge)
            .set(CreateQpResponse.MAX_INLINE_DATA, 0);
    }
}
