/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.endpoint;

import io.rdma4j.RdmaException;
import io.rdma4j.driver.memory.Payloads;
import io.rdma4j.fabric.CachedRegion;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.MemoryRegion;
import io.rdma4j.fabric.Message;
import io.rdma4j.fabric.MrAccess;
import io.rdma4j.fabric.OperationKind;
import io.rdma4j.fabric.completion.Failures;
import io.rdma4j.fabric.completion.OfferedKinds;
import io.rdma4j.fabric.completion.OpRing;
import io.rdma4j.fabric.completion.WorkId;
import io.rdma4j.fabric.region.LocalBuffers;
import io.rdma4j.fabric.region.LocalMemory;
import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.Completion;
import io.rdma4j.verbs.QpAttributes;
import io.rdma4j.verbs.QpState;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.ReceiveRequest;
import io.rdma4j.verbs.ReturnCode;
import io.rdma4j.verbs.SendOpcode;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.WcStatus;

import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Messages of the application. A send that fails at this side's memory is an error of its own: the peer has not heard
 * of it, nothing behind it was sent, and the queue pair comes up again where it stopped. Any other failure ends the
 * lane. For the thread that uses the link.
 *
 * <pre>{@code
 *           a send failed here           all is flushed: reset, posted again
 *   UP ----------------------> BROKEN ------------------------------------> UP
 *   UP ----------------------> FLUSHED ---> BROKEN or lost
 *        flushed, who knows why
 * }</pre>
 */
final class MessageLane {
    private static final int UP = 0;
    private static final int FLUSHED = 1;
    private static final int BROKEN = 2;
    private static final int RESET = 3;
    /** Kinds of sends, as bits of {@link OpRing#OPERATION}. */
    private static final int WITH_DATA = 1;
    private static final int COPIED = 2;
    /** In {@link OpRing#TRIES}: the device gave it back undone. */
    private static final int GIVEN_BACK = 1;

    private final RcLink link;
    private final QueuePair qp;
    private final LocalMemory local;
    private final OpRing sends;
    private final OpRing receives;
    /** What operations without flags have. */
    private final int quiet;
    private final SlotBuffers sendBuffers;
    private final SlotBuffers receiveBuffers;
    private final boolean mends;
    private final OfferedKinds offered;
    private final SendRequest request = new SendRequest(LaneSizes.MOST_BUFFERS);
    private final ReceiveRequest into = new ReceiveRequest(LaneSizes.MOST_BUFFERS);
    /** What was injected, by slot; to be posted again. */
    private final UnsafeBuffer copies;
    private final int mostCopied;
    private long sendId;
    private long receiveId;
    private boolean isConnected;
    private int state = UP;
    /** What the device has not completed. */
    private int sendsOut;
    private int receivesOut;
    private int sendPsn;
    private int receivePsn;
    private long mended;
    /** Also set by who ends the connection, from any thread. */
    private volatile boolean isLost;

    MessageLane(final RcLink link, final OpRing sends, final OpRing receives) {
        final LaneSizes sizes = link.sizes();
        this.link = link;
        this.qp = link.qp();
        this.local = link.local();
        this.sends = sends;
        this.receives = receives;
        this.quiet = link.rules().isSelective() ? OpRing.QUIET : 0;
        this.mends = link.canMend();
        this.offered = new OfferedKinds(link.host().info().capabilities());
        this.sendBuffers = new SlotBuffers(sends, sizes.outSlots());
        this.receiveBuffers = new SlotBuffers(receives, sizes.receives());
        this.mostCopied = sizes.injected();
        this.copies = new UnsafeBuffer(new byte[sizes.outSlots() * mostCopied]);
    }

    void ports(final int transmit, final int receive) {
        sendId = WorkId.of(transmit, WorkId.SEND);
        receiveId = WorkId.of(receive, WorkId.RECEIVE);
    }

    /** The link is. */
    void connected() {
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
        return start(address, length, desc, owner, 0, 0, context);
    }

    int sendWithData(
        final long address, final int length, final MemoryRegion desc, final Object owner, final int data,
        final long context) {
        return start(address, length, desc, owner, WITH_DATA, data, context);
    }

    private int start(
        final long address, final int length, final MemoryRegion desc, final Object owner, final int kind,
        final int data, final long context) {
        final int objection = checkSend();
        if (objection != 0) {
            return objection;
        }
        final int refusal = local.find(address, length, desc, owner, MrAccess.SEND, 0);
        if (refusal != 0) {
            return refusal;
        }
        final int slot = claimSend(context, length, local.cached(), kind, data, quiet);
        sendBuffers.keep(slot, local.deviceAddress(), local.lkey());
        return posted(sends, postSend(slot));
    }

    private int claimSend(
        final long context, final long length, final CachedRegion cached, final int kind, final int data,
        final int flags) {
        final int slot = sends.claim(OperationKind.SEND, context, length, cached);
        if (flags != 0) {
            sends.flag(slot, flags);
        }
        sends.putInt(slot, OpRing.OPERATION, kind);
        sends.putInt(slot, OpRing.DATA, data);
        return slot;
    }

    private int postSend(final int slot) {
        final int kind = sends.getInt(slot, OpRing.OPERATION);
        final int length = (int) sends.getLong(slot, OpRing.LENGTH);
        request.wrId(sendId | slot).clearSges();
        if ((kind & WITH_DATA) == 0) {
            request.opcode(SendOpcode.SEND);
        } else {
            request.opcode(SendOpcode.SEND_WITH_IMM).immData(sends.getInt(slot, OpRing.DATA));
        }
        if ((kind & COPIED) == 0) {
            sendBuffers.addTo(request.sges(), slot, length);
        } else if (length > 0) {
            request.inline(copies, slot * mostCopied, length);
        }
        final int code = qp.postSend(request);
        sendsOut += code == ReturnCode.OK ? 1 : 0;
        return code;
    }

    private int postReceive(final int slot) {
        into.wrId(receiveId | slot).clearSges();
        receiveBuffers.addTo(into.sges(), slot, receives.getLong(slot, OpRing.KEY));
        final int code = qp.postReceive(into);
        receivesOut += code == ReturnCode.OK ? 1 : 0;
        return code;
    }

    /** 0, or why nothing can be sent now. */
    int checkSend() {
        if (!offered.has(OperationKind.SEND)) {
            return -FiErrno.FI_EOPNOTSUPP;
        }
        if (!isConnected || isLost) {
            return -FiErrno.FI_ENOTCONN;
        }
        return sends.isFull() || state != UP ? -FiErrno.FI_EAGAIN : 0;
    }

    /** 0, or why nothing can be received now. */
    int checkReceive() {
        if (!offered.has(OperationKind.RECEIVE)) {
            return -FiErrno.FI_EOPNOTSUPP;
        }
        if (isLost) {
            return -FiErrno.FI_ENOTCONN;
        }
        return receives.isFull() || state != UP ? -FiErrno.FI_EAGAIN : 0;
    }

    /** What is in {@code buffers}; after {@link #checkSend}. */
    int send(final LocalBuffers buffers, final Message message, final boolean withData, final int flags) {
        final int slot = claimSend(message.context(), buffers.total(), buffers.take(0), withData ? WITH_DATA : 0,
            message.data(), flags);
        for (int i = 1; i < buffers.count(); i++) {
            sends.keep(slot, i, buffers.take(i));
        }
        sendBuffers.keep(slot, buffers);
        return posted(sends, postSend(slot));
    }

    /** Takes a copy; after {@link #checkSend}, and of no more than the queue pair takes. */
    int inject(
        final DirectBuffer buffer, final int offset, final int length, final boolean withData, final int data,
        final long context, final int flags) {
        final int slot = claimSend(context, length, null, COPIED | (withData ? WITH_DATA : 0), data, flags);
        if (!Payloads.copy(buffer, offset, length, copies, slot * mostCopied)) {
            sends.unclaim();
            return -FiErrno.FI_EFAULT;
        }
        return posted(sends, postSend(slot));
    }

    /** Into what is in {@code buffers}; after {@link #checkReceive}. */
    int receive(final LocalBuffers buffers, final long context) {
        final int slot = receives.claim(OperationKind.RECEIVE, context, 0, buffers.take(0));
        for (int i = 1; i < buffers.count(); i++) {
            receives.keep(slot, i, buffers.take(i));
        }
        receiveBuffers.keep(slot, buffers);
        receives.putLong(slot, OpRing.KEY, buffers.total());
        return posted(receives, postReceive(slot));
    }

    private int receive(
        final CachedRegion cached, final long address, final int length, final int lkey, final long context) {
        final int slot = receives.claim(OperationKind.RECEIVE, context, 0, cached);
        receiveBuffers.keep(slot, address, lkey);
        receives.putLong(slot, OpRing.KEY, length);
        return posted(receives, postReceive(slot));
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
        return receive(local.cached(), local.deviceAddress(), length, local.lkey(), context);
    }

    /** The device completed something. */
    void completed(final int what, final int slot, final Completion completion) {
        final boolean receive = what == WorkId.RECEIVE;
        final OpRing ring = receive ? receives : sends;
        if (receive) {
            receivesOut--;
        } else {
            sendsOut--;
        }
        if (!ring.isUnderWay(slot)) {
            return;
        }
        final WcStatus status = completion.status();
        if (status != WcStatus.SUCCESS) {
            failed(ring, slot, status, completion.vendorError());
            return;
        }
        if (receive) {
            ring.putLong(slot, OpRing.LENGTH, completion.byteLength());
            if (completion.hasImmData()) {
                ring.putInt(slot, OpRing.DATA, completion.immData());
                ring.flag(slot, OpRing.HAS_DATA);
            }
        }
        ring.done(slot, 0, 0);
    }

    private void failed(final OpRing ring, final int slot, final WcStatus status, final int vendorError) {
        final boolean flushed = status == WcStatus.WR_FLUSH_ERR;
        if (mends && !isLost && flushed) {
            // What is flushed in the receive queue may be seen before the failure in the other one.
            ring.putInt(slot, OpRing.TRIES, GIVEN_BACK);
            state = Math.max(state, FLUSHED);
            link.wantsProgress();
            return;
        }
        ring.done(slot, Failures.errno(status, ring == receives), Failures.detail(status, vendorError));
        if (mends && !isLost && ring == sends && OutLane.isOwnFault(status)) {
            state = Math.max(state, BROKEN);
            link.wantsProgress();
        } else if (!isLost || state != UP) {
            lose("messages: " + status);
        }
    }

    /** In the middle of coming up the queue pair may have some again, and take messages of the peer. */
    private void stop(final String why) {
        link.stop(qp);
        lose("messages: " + why);
    }

    /** What the device gave back is over; what it still has it will give back. */
    private void lose(final String why) {
        if (!isLost) {
            isLost = true;
            link.lost(why);
        }
        state = UP;
        giveUp(sends);
        giveUp(receives);
    }

    private static void giveUp(final OpRing ring) {
        int slot = ring.first();
        for (int left = ring.size(); left > 0; left--) {
            if (ring.isUnderWay(slot) && ring.getInt(slot, OpRing.TRIES) == GIVEN_BACK) {
                ring.done(slot, FiErrno.FI_ECANCELED, Failures.LANE_LOST);
            }
            slot = ring.next(slot);
        }
    }

    /** Whether the next read is to go on, without an event. */
    boolean isMending() {
        return state != UP;
    }

    /** Goes on with what is to be done; whether there will be more. */
    boolean progress() {
        if (state == UP) {
            return false;
        }
        if (isLost) {
            lose("messages");
        } else if (state == RESET) {
            comeUp();
        } else if (sendsOut == 0) {
            allKnown();
        }
        return state != UP;
    }

    /** Each send was told of: one of them is the reason, or none. */
    private void allKnown() {
        if (state == FLUSHED) {
            lose("messages: " + WcStatus.WR_FLUSH_ERR);
            return;
        }
        if (receivesOut > 0) {
            link.receive().gatherAll();
        }
        if (receivesOut == 0 && state == BROKEN) {
            mend();
        }
    }

    /** The peer's messages that come meanwhile are not answered; the peer sends them again. */
    private void mend() {
        try {
            final QpAttributes now = qp.query();
            sendPsn = now.sqPsn();
            receivePsn = now.rqPsn();
            qp.modify(QpAttributes.to(QpState.RESET));
            state = RESET;
        } catch (final RdmaException e) {
            stop(e.getMessage());
            return;
        }
        comeUp();
    }

    private void comeUp() {
        try {
            LaneSteps.init(qp, false);
            if (!postAgain(receives)) {
                stop("receives could not be posted again");
                return;
            }
            LaneSteps.connect(qp, link.peer().gid(), link.peer().messageQpn(), receivePsn, sendPsn);
        } catch (final RdmaException e) {
            if (e.errno() != RdmaException.EBUSY) {
                stop(e.getMessage());
            }
            return;
        }
        state = UP;
        mended++;
        if (isLost) {
            // Whoever ended the connection met a queue pair that was just coming up.
            LaneSteps.fail(qp);
        }
        if (!postAgain(sends)) {
            stop("sends could not be posted again");
        }
    }

    private boolean postAgain(final OpRing ring) {
        int slot = ring.first();
        for (int left = ring.size(); left > 0; left--) {
            if (ring.isUnderWay(slot)) {
                ring.putInt(slot, OpRing.TRIES, 0);
                if ((ring == sends ? postSend(slot) : postReceive(slot)) != ReturnCode.OK) {
                    ring.putInt(slot, OpRing.TRIES, GIVEN_BACK);
                    return false;
                }
            }
            slot = ring.next(slot);
        }
        return true;
    }

    /** How often it came up again. */
    long mended() {
        return mended;
    }

    @Override
    public String toString() {
        return "messages " + qp + ", sends " + sends + ", receives " + receives;
    }
}
