/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.endpoint;

import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.MemoryRegion;
import io.rdma4j.fabric.MrAccess;
import io.rdma4j.fabric.OperationKind;
import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.Completion;
import io.rdma4j.verbs.QpOptions;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.ReceiveRequest;
import io.rdma4j.verbs.ReturnCode;
import io.rdma4j.verbs.SendOpcode;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.WcStatus;

/** Messages of the application. It is lost with the first one that fails. For the thread that uses the endpoint. */
final class MessageLane {
    private final FabricEndpoint endpoint;
    private final QueuePair qp;
    private final LocalMemory local;
    private final OpRing sends;
    private final OpRing receives;
    private final SendRequest request = new SendRequest();
    private final ReceiveRequest emptyReceive = new ReceiveRequest(0);
    private long sendId;
    private long receiveId;
    private boolean isConnected;
    private boolean isLost;

    MessageLane(
        final FabricEndpoint endpoint, final LocalMemory local, final OpRing sends, final OpRing receives,
        final QpOptions options) {
        this.endpoint = endpoint;
        this.local = local;
        this.sends = sends;
        this.receives = receives;
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
        if (!isConnected || isLost) {
            return -FiErrno.FI_ENOTCONN;
        }
        if (sends.isFull()) {
            return -FiErrno.FI_EAGAIN;
        }
        final int refusal = local.find(address, length, desc, owner, MrAccess.SEND, 0);
        if (refusal != 0) {
            return refusal;
        }
        final int slot = sends.claim(OperationKind.SEND, context, length, local.cached);
        request.wrId(sendId | slot);
        if (length == 0) {
            request.clearSges();
        } else {
            request.sge(local.deviceAddress, length, local.lkey);
        }
        return posted(sends, qp.postSend(request));
    }

    private static int posted(final OpRing ring, final int code) {
        if (code != ReturnCode.OK) {
            ring.unclaim();
        }
        return Failures.negated(code);
    }

    int receive(final long address, final int length, final MemoryRegion desc, final Object owner, final long context) {
        if (isLost) {
            return -FiErrno.FI_ENOTCONN;
        }
        if (receives.isFull()) {
            return -FiErrno.FI_EAGAIN;
        }
        final int refusal =
            local.find(address, length, desc, owner, MrAccess.RECV, AccessFlag.LOCAL_WRITE.bit());
        if (refusal != 0) {
            return refusal;
        }
        final int slot = receives.claim(OperationKind.RECEIVE, context, 0, local.cached);
        final long wrId = receiveId | slot;
        return posted(receives, length == 0 ? qp.postReceive(emptyReceive.wrId(wrId))
            : qp.postReceive(wrId, local.deviceAddress, length, local.lkey));
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
                    ring.putInt(slot, OpRing.FLAGS, OpRing.HAS_DATA);
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
