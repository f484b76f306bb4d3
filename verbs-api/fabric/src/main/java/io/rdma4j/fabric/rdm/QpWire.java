/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.rdm;

import io.rdma4j.fabric.completion.WorkId;
import io.rdma4j.fabric.endpoint.RcLink;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.ReceiveRequest;
import io.rdma4j.verbs.ReturnCode;
import io.rdma4j.verbs.SendRequest;

import java.util.Arrays;

/** Pieces go over the queue pair that a link has for messages. */
abstract class QpWire implements Wire {
    /** A header, and payload. */
    private static final int BUFFERS = 2;

    private final QueuePair qp;
    private final SendRequest request = new SendRequest(BUFFERS);
    private final ReceiveRequest[] into = new ReceiveRequest[Window.MOST_TOGETHER];
    private long sendId;
    private long receiveId;

    QpWire(final RcLink link) {
        this.qp = link.qp();
        Arrays.setAll(into, i -> new ReceiveRequest());
    }

    /** The link has its ports. */
    final void joined(final RcLink link) {
        sendId = WorkId.of(link.transmitPort(), WorkId.SEND);
        receiveId = WorkId.of(link.receivePort(), WorkId.RECEIVE);
    }

    @Override
    public int receive(final Slot[] slots, final int count, final SlotArea from) {
        for (int i = 0; i < count; i++) {
            into[i].wrId(receiveId | slots[i].index)
                .sge(from.address() + slots[i].offset, from.stride(), from.lkey());
        }
        final int posted = qp.postReceive(into, count);
        return posted == count ? ReturnCode.OK : posted < 0 ? posted : ReturnCode.QUEUE_FULL;
    }

    @Override
    public int send(final int piece, final long address, final int length, final int lkey) {
        return qp.postSend(request.wrId(sendId | piece).sge(address, length, lkey));
    }

    @Override
    public int gather(
        final int piece, final long address, final int lkey, final long payload, final int payloadLength,
        final int payloadKey) {
        request.wrId(sendId | piece).sge(address, Header.LENGTH, lkey);
        if (payloadLength > 0) {
            request.addSge(payload, payloadLength, payloadKey);
        }
        return qp.postSend(request);
    }
}
