/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.endpoint;

import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.MemoryRegion;
import io.rdma4j.fabric.Message;
import io.rdma4j.fabric.MrAccess;
import io.rdma4j.fabric.OperationKind;
import io.rdma4j.fabric.completion.Failures;
import io.rdma4j.fabric.completion.OpRing;
import io.rdma4j.fabric.completion.WorkId;
import io.rdma4j.fabric.region.LocalBuffers;
import io.rdma4j.fabric.region.LocalMemory;
import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.Completion;
import io.rdma4j.verbs.QpOptions;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.ReceiveRequest;
import io.rdma4j.verbs.ReturnCode;
import io.rdma4j.verbs.SendOpcode;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.WcStatus;

import org.agrona.DirectBuffer;

/** Messages of the application. It is lost with the first one that fails. For the thread that uses the endpoint. */
final class MessageLane {
    private final FabricEndpoint endpoint;
    private final QueuePair qp;
    private final LocalMemory local;
    private final OpRing sends;
    private final OpRing receives;
    /** What operations without flags have. */
    private final int quiet;
    private final SendRequest request = new SendRequest(LaneSizes.MOST_BUFFERS);
    private final ReceiveRequest emptyReceive = new ReceiveRequest(0);
    private final ReceiveRequest manyReceive = new ReceiveRequest(LaneSizes.MOST_BUFFERS);
    private long sendId;
    private long receiveId;
    private boolean isConnected;
    /** Also set by who ends the connection, from any thread. */
    private volatile boolean isLost;

    MessageLane(
        final FabricEndpoint endpoint, final LocalMemory local, final OpRing sends, final OpRing receives,
        final boolean selective, final QpOptions options) {
        this.endpoint = endpoint;
        this.local = local;
        this.sends = sends;
        this.receives = receives;
        this.quiet = selective ? OpRing.QUIET : 0;
        this.qp = endpoint.realm().pd().createQp(options);
        try {
            LaneSteps.init(qp, false);
        } catch (final RuntimeException e) {
            qp.close();
            throw e;
        }
    }

    QueuePair qp() {
        return qp;
    }

    void ports(final int transmit, final int receive) {
        sendId = WorkId.of(transmit, WorkId.SEND);
        receiveId = WorkId.of(receive, WorkId.RECEIVE);
    }

    void connect(final PeerName peer) {
        LaneSteps.connect(qp, peer.gid(), peer.messageQpn(), peer.messagePsn(), qp.localAddress().psn());
        isConnected = true;
    }

    /** It is not used any more. */
    void giveUp() {
        isLost = true;
    }

    boolean isLost() {
        return isLost;
    }

    int send(final long address, final int length, final MemoryRegion desc, final Object owner, final long context) {
        request.opcode(SendOpcode.SEND);
        return start(address, length, desc, owner, context);
    }

    int sendWithData(
        final long address, final int length, final MemoryRegion desc, final Object owner, final int data,
        final long context) {
        request.opcode(SendOpcode.SEND_WITH_IMM).immData(data);
        return start(address, length, desc, owner, context);
    }

    private int start(
        final long address, final int length, final MemoryRegion desc, final Object owner, final long context) {
        final int objection = checkSend();
        if (objection != 0) {
            return objection;
        }
        final int refusal = local.find(address, length, desc, owner, MrAccess.SEND, 0);
        if (refusal != 0) {
            return refusal;
        }
        final int slot = sends.claim(OperationKind.SEND, context, length, local.cached());
        if (quiet != 0) {
            sends.flag(slot, quiet);
        }
        request.wrId(sendId | slot);
        if (length == 0) {
            request.clearSges();
        } else {
            request.sge(local.deviceAddress(), length, local.lkey());
        }
        return posted(sends, qp.postSend(request));
    }

    /** 0, or why nothing can be sent now. */
    int checkSend() {
        if (!isConnected || isLost) {
            return -FiErrno.FI_ENOTCONN;
        }
        return sends.isFull() ? -FiErrno.FI_EAGAIN : 0;
    }

    /** 0, or why nothing can be received now. */
    int checkReceive() {
        if (isLost) {
            return -FiErrno.FI_ENOTCONN;
        }
        return receives.isFull() ? -FiErrno.FI_EAGAIN : 0;
    }

    /** What is in {@code buffers}; after {@link #checkSend}. */
    int send(final LocalBuffers buffers, final Message message, final boolean withData, final int flags) {
        final int slot = claim(sends, OperationKind.SEND, message.context(), buffers);
        sends.flag(slot, flags);
        operation(withData, message.data()).wrId(sendId | slot).clearSges();
        for (int i = 0; i < buffers.count(); i++) {
            request.addSge(buffers.deviceAddress(i), buffers.length(i), buffers.lkey(i));
        }
        return posted(sends, qp.postSend(request));
    }

    private SendRequest operation(final boolean withData, final int data) {
        return withData ? request.opcode(SendOpcode.SEND_WITH_IMM).immData(data) : request.opcode(SendOpcode.SEND);
    }

    private static int claim(
        final OpRing ring, final OperationKind kind, final long context, final LocalBuffers buffers) {
        final int slot =
            ring.claim(kind, context, kind == OperationKind.SEND ? (int) buffers.total() : 0, buffers.take(0));
        for (int i = 1; i < buffers.count(); i++) {
            ring.keep(slot, i, buffers.take(i));
        }
        return slot;
    }

    /** Takes a copy; after {@link #checkSend}, and of no more than the queue pair takes. */
    int inject(
        final DirectBuffer buffer, final int offset, final int length, final boolean withData, final int data,
        final long context, final int flags) {
        final int slot = sends.claim(OperationKind.SEND, context, length, null);
        sends.flag(slot, flags);
        operation(withData, data).wrId(sendId | slot);
        if (length == 0) {
            request.clearSges();
        } else {
            request.inline(buffer, offset, length);
        }
        final int code = qp.postSend(request);
        // Else the application's buffer would be kept from the collector.
        request.clearSges();
        return posted(sends, code);
    }

    /** Into what is in {@code buffers}; after {@link #checkReceive}. */
    int receive(final LocalBuffers buffers, final long context) {
        final int slot = claim(receives, OperationKind.RECEIVE, context, buffers);
        manyReceive.wrId(receiveId | slot).clearSges();
        for (int i = 0; i < buffers.count(); i++) {
            manyReceive.addSge(buffers.deviceAddress(i), buffers.length(i), buffers.lkey(i));
        }
        return posted(receives, qp.postReceive(manyReceive));
    }

    /** Of memory that the device knows. */
    int sendKnown(final long address, final int length, final int lkey, final long context) {
        final int slot = claimKnown(length, context);
        if (slot < 0) {
            return slot;
        }
        request.opcode(SendOpcode.SEND).wrId(sendId | slot);
        if (length == 0) {
            request.clearSges();
        } else {
            request.sge(address, length, lkey);
        }
        return posted(sends, qp.postSend(request));
    }

    int sendKnown(
        final long address, final int length, final int lkey, final long address2, final int length2, final int lkey2,
        final long context) {
        if (length2 == 0) {
            return sendKnown(address, length, lkey, context);
        }
        final int slot = claimKnown((long) length + length2, context);
        if (slot < 0) {
            return slot;
        }
        request.opcode(SendOpcode.SEND).wrId(sendId | slot).sge(address, length, lkey)
            .addSge(address2, length2, lkey2);
        return posted(sends, qp.postSend(request));
    }

    /** A slot, or a negated errno. */
    private int claimKnown(final long length, final long context) {
        final int objection = checkSend();
        return objection != 0 ? objection : sends.claim(OperationKind.SEND, context, length, null);
    }

    int receiveKnown(final long address, final int length, final int lkey, final long context) {
        final int objection = checkReceive();
        return objection != 0 ? objection
            : post(receives.claim(OperationKind.RECEIVE, context, 0, null), address, length, lkey);
    }

    private int post(final int slot, final long address, final int length, final int lkey) {
        final long wrId = receiveId | slot;
        return posted(receives, length == 0 ? qp.postReceive(emptyReceive.wrId(wrId))
            : qp.postReceive(wrId, address, length, lkey));
    }

    private static int posted(final OpRing ring, final int code) {
        if (code != ReturnCode.OK) {
            ring.unclaim();
        }
        return Failures.negated(code);
    }

    int receive(final long address, final int length, final MemoryRegion desc, final Object owner, final long context) {
        final int objection = checkReceive();
        if (objection != 0) {
            return objection;
        }
        final int refusal =
            local.find(address, length, desc, owner, MrAccess.RECV, AccessFlag.LOCAL_WRITE.bit());
        if (refusal != 0) {
            return refusal;
        }
        return post(receives.claim(OperationKind.RECEIVE, context, 0, local.cached()), local.deviceAddress(), length,
            local.lkey());
    }

    /** The device completed something. */
    void completed(final int what, final int slot, final Completion completion) {
        final boolean receive = what == WorkId.RECEIVE;
        final OpRing ring = receive ? receives : sends;
        if (!ring.isUnderWay(slot)) {
            return;
        }
        final WcStatus status = completion.status();
        if (status == WcStatus.SUCCESS) {
            if (receive) {
                ring.putLong(slot, OpRing.LENGTH, completion.byteLength());
                if (completion.hasImmData()) {
                    ring.putInt(slot, OpRing.DATA, completion.immData());
                    ring.flag(slot, OpRing.HAS_DATA);
                }
            }
            ring.done(slot, 0, 0);
        } else {
            if (!isLost) {
                isLost = true;
                endpoint.lost("messages: " + status);
            }
            ring.done(slot, Failures.errno(status, receive), Failures.detail(status, completion.vendorError()));
        }
    }

    void close() {
        qp.close();
    }

    @Override
    public String toString() {
        return "messages " + qp + ", sends " + sends + ", receives " + receives;
    }
}
