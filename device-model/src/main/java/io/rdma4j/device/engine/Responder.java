/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.engine;

import io.rdma4j.RdmaException;
import io.rdma4j.device.common.Counter;
import io.rdma4j.device.common.Quirk;
import io.rdma4j.device.common.SpinLock;
import io.rdma4j.device.link.Ack;
import io.rdma4j.device.link.Destination;
import io.rdma4j.device.link.Message;
import io.rdma4j.device.memory.DmaList;
import io.rdma4j.device.memory.HostMemory;
import io.rdma4j.device.wire.Frame;
import io.rdma4j.hw.layout.Words;
import io.rdma4j.hw.pvrdma.AccessFlags;
import io.rdma4j.hw.pvrdma.Cqe;
import io.rdma4j.hw.pvrdma.EventType;
import io.rdma4j.hw.pvrdma.QpState;
import io.rdma4j.hw.pvrdma.RqWqe;
import io.rdma4j.hw.pvrdma.WcFlags;
import io.rdma4j.hw.pvrdma.WcOpcode;
import io.rdma4j.hw.pvrdma.WcStatus;
import io.rdma4j.queues.Padded;

import org.agrona.concurrent.UnsafeBuffer;

/**
 * The receive side of a queue pair: what a message from a peer does here. Everything happens under the receive queue's
 * lock, on the sender's thread.
 */
final class Responder extends Padded implements Destination {
    private static final String REFUSE = "remote access";
    private static final int PSN_MASK = 0xff_ffff;
    /** Up to so many bytes a message is copied while the completion queue is locked, and may be one of a row. */
    static final int SHORT = 256;

    private final EngineContext context;
    private final QueuePair qp;
    private final QpAttributes attributes;
    private final ReceiveQueue receives;
    /** That of the receives, without a look at them: a write needs nothing else of them. */
    private final SpinLock lock;
    private final RemoteMemory remote;
    private final boolean losesImm;
    private final int flagsOfAll;
    /** Null if this takes none. */
    private final DatagramResponder datagrams;
    /** Null if the device has no wire, or this takes datagrams. */
    private final WireResponder wire;
    /** Whether messages may take the short way. */
    private final boolean express;
    /** Of the shape, for the short way. */
    private final CompletionQueue cq;
    /** Handle of its protection domain. */
    private final int pd;
    private final PlainRegions plain;
    /** Of the remote key that was found last, in the table of plain regions. */
    private long line;
    private int psn;
    private long completed;
    /**
     * What the sender whose row is not ended tells its sends by. Others see it at any time, but only the sender itself
     * makes it its own; it holds the receive queue's lock then.
     */
    private Message row;
    /** Whether the completion queue's lock is held too, for a row of sends. */
    private boolean completing;
    private boolean lastTaken;
    private boolean established;

    Responder(EngineContext context, QueuePair qp, ReceiveQueue receives) {
        this.context = context;
        this.qp = qp;
        this.attributes = qp.attributes();
        this.receives = receives;
        this.lock = receives.lock();
        this.cq = qp.shape().recvCq();
        this.pd = qp.shape().pd().handle();
        this.plain = context.regions().plain();
        this.line = plain.none();
        this.remote = new RemoteMemory(context, qp);
        this.losesImm = context.has(Quirk.NO_IMM);
        this.flagsOfAll = context.has(Quirk.GRH_ALWAYS) ? WcFlags.PVRDMA_WC_GRH : 0;
        this.express = !qp.isDatagram() && !context.hasQuirks() && qp.shape().srq() == null;
        this.datagrams = qp.isDatagram() ? new DatagramResponder(context, qp, this, receives) : null;
        this.wire = context.wire() == null || qp.isDatagram() ? null
            : new WireResponder(context, qp, this, receives);
    }

    int psn() {
        return psn;
    }

    void psn(int value) {
        psn = value;
    }

    /** Carries out a message; one of {@link Ack}. The caller holds a send queue's lock at most. */
    int receive(Message message) {
        lock.lock();
        try {
            return accept(message);
        } finally {
            lock.unlock();
        }
    }

    /** A packet of a request that came over the wire. */
    void onRequest(UnsafeBuffer packet, int opcode, Frame frame, int at, int length) {
        lock.lock();
        try {
            final int state = qp.state();
            if (qp.isDead() || state < QpState.PVRDMA_QPS_RTR || state == QpState.PVRDMA_QPS_ERR) {
                nobody();
            } else {
                wire.onRequest(packet, opcode, frame, at, length);
            }
        } finally {
            lock.unlock();
        }
    }

    private int accept(Message message) {
        final int state = qp.state();
        if (qp.isDead() || state < QpState.PVRDMA_QPS_RTR || state == QpState.PVRDMA_QPS_ERR
            || message.datagram != qp.isDatagram()) {
            return nobody();
        }
        return message.datagram ? datagrams.accept(message) : connected(message);
    }

    @Override
    public boolean isOver() {
        return qp.isDead();
    }

    @Override
    public boolean tryWrite(Message message) {
        if (!express) {
            return false;
        }
        lock.lock();
        try {
            return isExpected(message) && writePlain(message);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public boolean trySend(Message message) {
        if (!express) {
            return false;
        }
        lock.lock();
        try {
            return isExpected(message) && sendPlain(message);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public boolean trySendInRow(Message message, boolean last) {
        if (!express) {
            return false;
        }
        if (row != message) {
            lock.lock();
            row = message;
        }
        boolean goesOn = false;
        try {
            final boolean done = isExpected(message) && sendInRow(message);
            goesOn = done && !last;
            return done;
        } finally {
            if (!goesOn) {
                endRow(message);
            }
        }
    }

    @Override
    public void endRow(Message message) {
        if (row != message) {
            return;
        }
        try {
            if (completing) {
                completing = false;
                cq.endHeld();
            }
        } finally {
            row = null;
            lock.unlock();
        }
    }

    /** A message of the peer, the next one in order, on a connection that is known to be up. */
    private boolean isExpected(Message message) {
        final int state = qp.state();
        return established && !qp.isDead() && state >= QpState.PVRDMA_QPS_RTR
            && state != QpState.PVRDMA_QPS_ERR && message.psn == psn && message.sourceQpn == attributes.destQpn
            && message.sourceGidLow == attributes.destGidLow && message.sourceGidHigh == attributes.destGidHigh;
    }

    private boolean writePlain(Message message) {
        if ((attributes.access & AccessFlags.PVRDMA_ACCESS_REMOTE_WRITE) == 0) {
            return false;
        }
        if (!PlainRegions.hasRkey(line, message.rkey)) {
            line = context.regions().lineOfRkey(message.rkey);
        }
        final long host = plain.host(line, pd, message.remoteAddress, message.length,
            AccessFlags.PVRDMA_ACCESS_REMOTE_WRITE);
        if (host != 0) {
            HostMemory.copy(message.host, host, message.length);
            psn = psn + message.packets & PSN_MASK;
        }
        return host != 0;
    }

    /**
     * A short message is copied under the completion queue's lock: taking a lock waits until the processor owns all
     * lines that it stored to, which would be those of the message, and only then would the CQE's be asked for.
     */
    private boolean sendPlain(Message message) {
        final long wqe = receives.peekPlain();
        final long host = wqe == 0 ? 0 : receives.plainHost(wqe, message.length);
        if (host == 0) {
            return false;
        }
        final boolean isShort = message.length <= SHORT;
        if (!isShort) {
            HostMemory.copy(message.host, host, message.length);
        }
        if (!cq.tryBegin()) {
            return false;
        }
        try {
            if (isShort) {
                HostMemory.copy(message.host, host, message.length);
            }
            received(message, wqe, cq.address());
        } catch (final InternalError e) {
            cq.abandon();
            throw e;
        }
        cq.end(message.solicited);
        psn = psn + message.packets & PSN_MASK;
        return true;
    }

    private boolean sendInRow(Message message) {
        final long wqe = receives.peekPlain();
        final long host = wqe == 0 ? 0 : receives.plainHost(wqe, message.length);
        if (host == 0 || !(completing ? cq.claim() : cq.tryBegin())) {
            return false;
        }
        completing = true;
        HostMemory.copy(message.host, host, message.length);
        received(message, wqe, cq.address());
        cq.hold(message.solicited);
        psn = psn + message.packets & PSN_MASK;
        return true;
    }

    /** The slot is free before its completion can be seen, as in giveBack. */
    private void received(Message message, long wqe, long cqe) {
        CqeWriter.write(cqe, Words.getLong(wqe + RqWqe.WR_ID_OFFSET), qp.handle(), WcOpcode.PVRDMA_WC_RECV,
            WcStatus.PVRDMA_WC_SUCCESS, (int) message.length, 0);
        CqeWriter.source(cqe, message.sourceQpn, message.immediate ? WcFlags.PVRDMA_WC_WITH_IMM : 0);
        if (message.immediate) {
            CqeWriter.immediate(cqe, (int) message.length, message.immData);
        }
        receives.advancePlain();
        completed++;
    }

    private int nobody() {
        context.counters().increment(Counter.NO_PEER);
        return Ack.NO_RESPONSE;
    }

    private int connected(Message message) {
        if (message.sourceQpn != attributes.destQpn || message.sourceGidLow != attributes.destGidLow
            || message.sourceGidHigh != attributes.destGidHigh) {
            return nobody();
        }
        if (message.psn != psn) {
            context.counters().record(Counter.PSN_MISMATCH, "qpn 0x%x expects %d, not %s", qp.qpn(), psn, message);
            return Ack.NO_RESPONSE;
        }
        established();
        final int ack = switch (message.operation) {
            case SEND -> send(message);
            case WRITE -> write(message);
            case READ -> read(message);
            case COMPARE_SWAP, FETCH_ADD, MASKED_COMPARE_SWAP, MASKED_FETCH_ADD -> atomic(message);
        };
        if (ack == Ack.ACK) {
            psn = psn + message.packets & PSN_MASK;
        }
        return ack;
    }

    /** A message has come, or its first packet. */
    void established() {
        if (!established) {
            establish();
        }
    }

    /** The first message on a connection; that it is up is news only to a side that does not send yet. */
    private void establish() {
        established = true;
        if (qp.state() == QpState.PVRDMA_QPS_RTR) {
            qp.tell(EventType.PVRDMA_EVENT_COMM_EST);
        }
    }

    private int send(Message message) {
        final int ack = takeReceive(message, true);
        if (ack != Ack.ACK) {
            return ack;
        }
        if (message.length > receives.list().length()) {
            return refuseReceive(WcStatus.PVRDMA_WC_LOC_LEN_ERR, Ack.NAK_INVALID_REQUEST);
        }
        if (message.invalidates && !context.regions().canInvalidate(message.invalidateKey, qp, true)) {
            return refuseInvalidation(message);
        }
        final int copied = seen(message, DmaList.copy(message.payload, receives.list(), message.length));
        if (copied != DmaList.COPIED) {
            return copied == DmaList.SOURCE_LOST ? Ack.PAYLOAD_LOST
                : refuseReceive(WcStatus.PVRDMA_WC_LOC_PROT_ERR, Ack.NAK_REMOTE_OPERATION);
        }
        if (message.invalidates && !context.regions().invalidate(message.invalidateKey, qp, true)) {
            return refuseInvalidation(message);
        }
        finishReceive(message, WcOpcode.PVRDMA_WC_RECV, message.length, 0);
        return Ack.ACK;
    }

    /** Counts what was not copied. */
    int seen(Message message, int copied) {
        if (copied != DmaList.COPIED) {
            context.counters().record(Counter.MEMORY_LOST, "%s of %s", copied == DmaList.SOURCE_LOST ? "source"
                : "destination", message);
        }
        return copied;
    }

    private int takeReceive(Message message, boolean filled) {
        switch (receives.take(message.resume, filled)) {
            case ReceiveQueue.TAKEN:
                return Ack.ACK;
            case ReceiveQueue.EMPTY:
                context.counters().increment(Counter.RNR);
                message.rnrNanos = RnrTimer.nanos(attributes.minRnrTimer);
                return Ack.RNR_NAK;
            case ReceiveQueue.BAD_WQE:
                return refuseReceive(receives.status(), Ack.NAK_REMOTE_OPERATION);
            default:
                breakDown();
                return Ack.NAK_REMOTE_OPERATION;
        }
    }

    int refuseReceive(int status, int ack) {
        final long wrId = giveBack();
        complete(null, wrId, WcOpcode.PVRDMA_WC_RECV, status, 0, 0);
        fail(-1);
        return ack;
    }

    void finishReceive(Message message, int opcode, long length, int flags) {
        final long wrId = giveBack();
        complete(message, wrId, opcode, WcStatus.PVRDMA_WC_SUCCESS, (int) length, flags);
    }

    /** The slot is free before its completion can be seen: who polls may post again at once, into a full queue. */
    private long giveBack() {
        final long wrId = receives.wrId();
        receives.advance();
        if (qp.shape().srq() != null) {
            qp.shape().srq().checkLimit();
        }
        return wrId;
    }

    void complete(Message message, long wrId, int opcode, int status, int length, int flags) {
        completed++;
        if (!cq.begin()) {
            if (cq.hasFailed()) {
                // Nobody will know what becomes of the messages that follow.
                fail(EventType.PVRDMA_EVENT_QP_FATAL);
            }
        } else {
            try {
                CqeWriter.write(cq.address(), wrId, qp.handle(), opcode, status, length, 0);
                if (message != null) {
                    describe(cq.page(), cq.offset(), message, flags);
                }
            } catch (final InternalError e) {
                cq.abandon();
                throw e;
            }
            cq.end(status != WcStatus.PVRDMA_WC_SUCCESS || message != null && message.solicited);
        }
    }

    private void describe(UnsafeBuffer page, int at, Message message, int flags) {
        Cqe.srcQp(page, at, message.sourceQpn);
        if (message.invalidates) {
            Cqe.immData(page, at, message.invalidateKey);
            Cqe.wcFlags(page, at, flags | flagsOfAll | WcFlags.PVRDMA_WC_WITH_INVALIDATE);
        } else if (message.immediate && !losesImm) {
            Cqe.immData(page, at, message.immData);
            Cqe.wcFlags(page, at, flags | flagsOfAll | WcFlags.PVRDMA_WC_WITH_IMM);
        } else {
            Cqe.wcFlags(page, at, flags | flagsOfAll);
        }
        if (message.datagram) {
            Cqe.smac(page, at, message.sourceMac);
            Cqe.networkHdrType(page, at, Grh.networkType(message));
        }
    }

    private int write(Message message) {
        if (!reach(message, AccessFlags.PVRDMA_ACCESS_REMOTE_WRITE)) {
            return refuseAccess(message, AccessFlags.PVRDMA_ACCESS_REMOTE_WRITE);
        }
        if (message.immediate) {
            final int ack = takeReceive(message, false);
            if (ack != Ack.ACK) {
                return ack;
            }
        }
        final int copied = seen(message, remote.write(message));
        if (copied != DmaList.COPIED) {
            return copied == DmaList.SOURCE_LOST ? Ack.PAYLOAD_LOST
                : refuseAccess(message, AccessFlags.PVRDMA_ACCESS_REMOTE_WRITE);
        }
        if (message.immediate) {
            finishReceive(message, WcOpcode.PVRDMA_WC_RECV_RDMA_WITH_IMM, message.length, 0);
        }
        return Ack.ACK;
    }

    private int read(Message message) {
        if (attributes.maxDestRdAtomic == 0) {
            return invalidRequest();
        }
        if (!reach(message, AccessFlags.PVRDMA_ACCESS_REMOTE_READ)) {
            return refuseAccess(message, AccessFlags.PVRDMA_ACCESS_REMOTE_READ);
        }
        final int copied = seen(message, remote.read(message));
        if (copied != DmaList.COPIED) {
            return copied == DmaList.TARGET_LOST ? Ack.PAYLOAD_LOST
                : refuseAccess(message, AccessFlags.PVRDMA_ACCESS_REMOTE_READ);
        }
        return Ack.ACK;
    }

    private int atomic(Message message) {
        if (attributes.maxDestRdAtomic == 0 || (message.remoteAddress & 7) != 0) {
            return invalidRequest();
        }
        if (!reach(message, AccessFlags.PVRDMA_ACCESS_REMOTE_ATOMIC)) {
            return refuseAccess(message, AccessFlags.PVRDMA_ACCESS_REMOTE_ATOMIC);
        }
        return switch (remote.atomic(message)) {
            case Ack.ACK -> Ack.ACK;
            case Ack.NAK_INVALID_REQUEST -> invalidRequest();
            default -> refuseAccess(message, AccessFlags.PVRDMA_ACCESS_REMOTE_ATOMIC);
        };
    }

    /** Whether a peer may use the memory that it names. */
    private boolean reach(Message message, int right) {
        return reach(remote, message, right);
    }

    /** The same, where the memory is noted. */
    boolean reach(RemoteMemory memory, Message message, int right) {
        return (attributes.access & right) != 0 && memory.find(message, right);
    }

    /** A QP that does not allow the operation has no such request; a key that does not is a violation of access. */
    private int refuseAccess(Message message, int right) {
        return refuseAccess(remote, message, right);
    }

    int refuseAccess(RemoteMemory memory, Message message, int right) {
        final String what = String.format("%d bytes at 0x%x with rkey 0x%x", message.length, message.remoteAddress,
            message.rkey);
        if ((attributes.access & right) == 0) {
            record(what, "the QP does not grant " + AccessFlags.NAMES.of(right),
                "the peer gets REM_INV_REQ_ERR; rights of a QP are QpAttributes.accessFlags");
            return invalidRequest();
        }
        return violation(what, memory.objection(message, right));
    }

    int refuseInvalidation(Message message) {
        return violation(String.format("invalidation of rkey 0x%x", message.invalidateKey),
            "no fast region or window of this QP has this rkey");
    }

    private int violation(String what, String why) {
        record(what, why, "the peer gets REM_ACCESS_ERR; rights of a region are those of register");
        fail(EventType.PVRDMA_EVENT_QP_ACCESS_ERR);
        return Ack.NAK_REMOTE_ACCESS;
    }

    private void record(String what, String why, String hint) {
        context.counters().record(Counter.REMOTE_ACCESS, RdmaException.of(REFUSE)
            .object(String.format("QP 0x%06x", qp.qpn()))
            .detail("%s: %s", what, why)
            .errno(RdmaException.EACCES)
            .hint(hint)
            .build());
    }

    int invalidRequest() {
        fail(EventType.PVRDMA_EVENT_QP_REQ_ERR);
        return Ack.NAK_INVALID_REQUEST;
    }

    void breakDown() {
        context.counters().record(Counter.CORRUPT_RINGS, "receives of qp 0x%x: %s", qp.handle(), receives);
        if (qp.shape().srq() != null) {
            qp.shape().srq().fail();
        }
        fail(EventType.PVRDMA_EVENT_QP_FATAL);
    }

    /** Under the receive queue's lock; the send queue is flushed later, by whoever holds no lock. */
    void fail(int event) {
        if (qp.fail(event)) {
            flush();
            context.agenda().add(qp.requester());
        }
    }

    /** Under the send queue's lock. */
    void flushAfterFailure() {
        afterFailure(false);
    }

    /** Under the send queue's lock, which has just taken the step to the error state: the program has its memory. */
    void endAfterFailure() {
        afterFailure(true);
    }

    private void afterFailure(boolean silent) {
        lock.lock();
        try {
            // It may have been reset and begun a new life meanwhile.
            if (!qp.isDead() && qp.state() == QpState.PVRDMA_QPS_ERR) {
                if (silent) {
                    stopAnswering();
                }
                flush();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Under the receive queue's lock: completes own receives as flushed, and lets senders find out. */
    void flush() {
        if (wire != null) {
            wire.flush();
        }
        if (qp.shape().srq() == null) {
            for (int budget = receives.count(); budget > 0 && receives.takeToFlush(); budget--) {
                complete(null, giveBack(), WcOpcode.PVRDMA_WC_RECV, WcStatus.PVRDMA_WC_WR_FLUSH_ERR, 0, 0);
            }
        } else if (!lastTaken) {
            // Whatever this queue pair took has completed, as that happened under this lock.
            lastTaken = true;
            qp.tell(EventType.PVRDMA_EVENT_QP_LAST_WQE_REACHED);
        }
        receives.resumeWaiting(true);
    }

    /**
     * Under the receive queue's lock, after the step to the error state: nothing is sent any more (10.3.1). Where this
     * went there by itself the answers in front of its refusal are, and then that.
     */
    void stopAnswering() {
        if (wire != null) {
            wire.stopAnswering();
        }
    }

    /** Under the receive queue's lock: the queue pair is about to go. */
    void end() {
        if (wire != null) {
            wire.letGoOfShared();
        }
    }

    /** Under the receive queue's lock: forgets what is posted, if it is this queue pair's own. */
    void reset() {
        psn = 0;
        lastTaken = false;
        established = false;
        if (wire != null) {
            wire.reset();
        }
        if (qp.shape().srq() == null) {
            receives.reset();
        } else {
            receives.resumeWaiting(true);
        }
    }

    @Override
    public String toString() {
        return receives + " completed " + completed + " psn " + psn + (wire == null ? "" : wire);
    }
}
