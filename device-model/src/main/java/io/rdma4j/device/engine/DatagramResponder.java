/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.engine;

import io.rdma4j.device.common.Counter;
import io.rdma4j.device.link.Ack;
import io.rdma4j.device.link.Message;
import io.rdma4j.device.memory.DmaList;
import io.rdma4j.hw.pvrdma.WcFlags;
import io.rdma4j.hw.pvrdma.WcOpcode;
import io.rdma4j.hw.pvrdma.WcStatus;

/** What a datagram does at the queue pair that it is for. Under its receive queue's lock. */
final class DatagramResponder {
    private final EngineContext context;
    private final QpAttributes attributes;
    private final Responder responder;
    private final ReceiveQueue receives;
    private final Grh grh = new Grh();

    DatagramResponder(EngineContext context, QueuePair qp, Responder responder, ReceiveQueue receives) {
        this.context = context;
        this.attributes = qp.attributes();
        this.responder = responder;
        this.receives = receives;
    }

    /** Carries one out; of {@link Ack}. */
    int accept(Message message) {
        if (message.qkey != attributes.qkey) {
            context.counters().increment(Counter.BAD_QKEY);
            return Ack.NO_RESPONSE;
        }
        switch (receives.take(null, true)) {
            case ReceiveQueue.TAKEN:
                return store(message);
            case ReceiveQueue.EMPTY:
                return dropped();
            case ReceiveQueue.BAD_WQE:
                return responder.refuseReceive(receives.status(), Ack.NO_RESPONSE);
            default:
                responder.breakDown();
                return Ack.NO_RESPONSE;
        }
    }

    private int dropped() {
        context.counters().increment(Counter.UD_DROPPED);
        return Ack.NO_RESPONSE;
    }

    private int store(Message message) {
        final DmaList list = receives.list();
        if (Grh.LENGTH + message.length > list.length()) {
            return dropped();
        }
        if (!list.put(grh.fill(message), Grh.LENGTH)) {
            responder.seen(message, DmaList.TARGET_LOST);
            return responder.refuseReceive(WcStatus.PVRDMA_WC_LOC_PROT_ERR, Ack.NO_RESPONSE);
        }
        final int copied = responder.seen(message, copyTo(list, message));
        if (copied == DmaList.SOURCE_LOST) {
            dropped();
            return Ack.PAYLOAD_LOST;
        }
        if (copied != DmaList.COPIED) {
            return responder.refuseReceive(WcStatus.PVRDMA_WC_LOC_PROT_ERR, Ack.NO_RESPONSE);
        }
        responder.finishReceive(message, WcOpcode.PVRDMA_WC_RECV, Grh.LENGTH + message.length, WcFlags.PVRDMA_WC_GRH
            | WcFlags.PVRDMA_WC_WITH_SMAC | WcFlags.PVRDMA_WC_WITH_NETWORK_HDR_TYPE);
        return Ack.ACK;
    }

    private static int copyTo(DmaList list, Message message) {
        if (message.payload != null) {
            return DmaList.copy(message.payload, list, message.length);
        }
        return list.put(message.host, (int) message.length) ? DmaList.COPIED : DmaList.TARGET_LOST;
    }
}
