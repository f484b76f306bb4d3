/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.engine;

import io.rdma4j.device.common.Counter;
import io.rdma4j.device.common.Limits;
import io.rdma4j.device.link.Ack;
import io.rdma4j.device.link.Message;
import io.rdma4j.device.link.Operation;
import io.rdma4j.device.memory.DmaList;
import io.rdma4j.device.wire.Frame;
import io.rdma4j.hw.pvrdma.AccessFlags;
import io.rdma4j.hw.pvrdma.WcOpcode;
import io.rdma4j.hw.pvrdma.WcStatus;
import io.rdma4j.hw.roce.Aeth;
import io.rdma4j.hw.roce.Bth;
import io.rdma4j.hw.roce.Opcode;
import io.rdma4j.hw.roce.Psn;
import io.rdma4j.queues.Padded;

import org.agrona.BufferUtil;
import org.agrona.UnsafeApi;
import org.agrona.concurrent.UnsafeBuffer;

import java.nio.ByteBuffer;

/**
 * The responder of a reliable connection over a wire (specification, 9.7): takes the packets of requests in order. What
 * is said to the peer goes by {@link WireAnswers}.
 *
 * <p>Used under the receive queue's lock. Memory that a message goes to is looked up for each packet: a region may be
 * gone since the last one.
 */
final class WireResponder extends Padded {
    /** Instead of an {@code Ack}: no room to remember it; it will be sent again. */
    private static final int IGNORED = -1;
    /** Instead of an {@code Ack}: what the packet referred to was withdrawn; it is to be sent again, with its bytes. */
    private static final int WITHDRAWN = -2;
    private static final int NONE = 0;
    private static final int SEND = 1;
    private static final int WRITE = 2;

    private final EngineContext context;
    private final QueuePair qp;
    private final Responder responder;
    private final QpAttributes attributes;
    private final ReceiveQueue receives;
    private final RemoteMemory remote;
    private final WireAnswers answers;
    private final HeldReceive held;
    private final long scratch;
    @SuppressWarnings("unused")
    private final ByteBuffer scratchOwner = ByteBuffer.allocateDirect(Long.BYTES);
    private final Message message = new Message(null, null);
    private final Message part = new Message(null, null);
    /** What the message that has begun and not ended is; how much of it has come. */
    private int current;
    private long arrived;
    private boolean holds;
    /** A packet is missing, or no receive was there: what follows is not for now, and the peer knows. */
    private boolean toldToGoBack;

    WireResponder(EngineContext context, QueuePair qp, Responder responder, ReceiveQueue receives) {
        this.context = context;
        this.qp = qp;
        this.responder = responder;
        this.attributes = qp.attributes();
        this.receives = receives;
        this.remote = new RemoteMemory(context, qp);
        this.answers = new WireAnswers(context, qp, responder, receives.lock());
        this.held = new HeldReceive(receives.maxSge());
        this.scratch = BufferUtil.address(scratchOwner);
    }

    /** A packet of a request, or several that refer to their payload together. */
    void onRequest(UnsafeBuffer packet, int opcode, Frame frame, int at, int length) {
        if (current == NONE) {
            answers.takeMtu();
        }
        final int psn = Bth.psn(packet, 0);
        final int ahead = Psn.ahead(psn, responder.psn());
        if (ahead < 0) {
            context.counters().increment(Counter.RESENT_PACKETS);
            answers.again(packet, opcode, psn);
        } else if (ahead > 0) {
            context.counters().increment(Counter.RESENT_PACKETS);
            if (!toldToGoBack) {
                toldToGoBack = true;
                answers.say(Aeth.NAK_SEQUENCE, responder.psn());
            }
        } else {
            toldToGoBack = false;
            responder.established();
            expected(packet, opcode, frame, at, length);
        }
    }

    private void expected(UnsafeBuffer packet, int opcode, Frame frame, int at, int length) {
        final int psn = responder.psn();
        switch (accept(packet, opcode, frame, at, length)) {
            case Ack.ACK:
                if (opcode != Opcode.READ_REQUEST && !Opcode.isAtomic(opcode)) {
                    taken(packet, opcode, psn, frame.referred == 0 ? 1 : answers.packets(length));
                }
                break;
            case IGNORED:
                break;
            case WITHDRAWN:
                toldToGoBack = true;
                answers.say(Aeth.NAK_SEQUENCE, psn);
                break;
            case Ack.RNR_NAK:
                toldToGoBack = true;
                answers.say(Aeth.RNR_NAK | attributes.minRnrTimer & 31, psn);
                break;
            case Ack.NAK_INVALID_REQUEST:
                answers.say(Aeth.NAK_INVALID_REQUEST, psn);
                break;
            case Ack.NAK_REMOTE_ACCESS:
                answers.say(Aeth.NAK_REMOTE_ACCESS, psn);
                break;
            default:
                answers.say(Aeth.NAK_REMOTE_OPERATION, psn);
        }
    }

    private void taken(UnsafeBuffer packet, int opcode, int psn, int count) {
        responder.psn(Psn.add(psn, count));
        if (Opcode.ends(opcode)) {
            answers.completed();
        }
        if (Bth.asksAck(packet, 0)) {
            answers.say(Aeth.ACK, Psn.add(psn, count - 1));
        }
    }

    private int accept(UnsafeBuffer packet, int opcode, Frame frame, int at, int length) {
        final boolean begins = Opcode.begins(opcode);
        if (begins != (current == NONE) || !fits(opcode, length, frame)) {
            return responder.invalidRequest();
        }
        RequestHeaders.take(packet, opcode, message);
        if (Opcode.isSend(opcode)) {
            return send(opcode, frame, at, length);
        }
        if (Opcode.isWrite(opcode)) {
            return write(packet, opcode, frame, at, length);
        }
        return Opcode.isAtomic(opcode) ? atomic(packet, opcode, responder.psn()) : read(packet, responder.psn());
    }

    /** All packets of a message are full but the last, which holds something. */
    private boolean fits(int opcode, int length, Frame frame) {
        final int mtu = 1 << answers.mtuShift();
        if (frame.referred != 0) {
            // Of another path MTU the numbers of all that follows would be others.
            return length >= Long.BYTES && frame.packets == answers.packets(length)
                && (Opcode.ends(opcode) || (length & mtu - 1) == 0);
        }
        if (opcode == Opcode.READ_REQUEST || Opcode.isAtomic(opcode)) {
            return length == 0;
        }
        return Opcode.ends(opcode) ? length <= mtu && (length > 0 || Opcode.begins(opcode)) : length == mtu;
    }

    /**
     * Puts payload where it belongs; as {@link DmaList#copy}. Whoever looks at the end of the memory for what has come
     * sees that of a reference only if all that was read by it counts.
     */
    private int put(DmaList list, Frame frame, int at, int length) {
        final long payload = frame.body + at;
        if (frame.referred == 0) {
            return length == 0 || list.put(payload, length) ? DmaList.COPIED : DmaList.TARGET_LOST;
        }
        final int body = length - Long.BYTES;
        final long end = UnsafeApi.getLong(payload + body);
        if (!list.put(payload, body)) {
            return DmaList.TARGET_LOST;
        }
        if (!frame.isIntact()) {
            return DmaList.SOURCE_LOST;
        }
        return list.putLong(end, scratch) ? DmaList.COPIED : DmaList.TARGET_LOST;
    }

    private int send(int opcode, Frame frame, int at, int length) {
        if (Opcode.begins(opcode)) {
            final int ack = holdReceive(true);
            if (ack != Ack.ACK) {
                return ack;
            }
            current = SEND;
            arrived = 0;
        } else if (current != SEND) {
            return responder.invalidRequest();
        } else if (receives.load(held) != ReceiveQueue.TAKEN) {
            return refuseHeld(held.status, Ack.NAK_REMOTE_OPERATION);
        }
        if (arrived + length > Math.min(receives.list().length(), Limits.MAX_MESSAGE)) {
            return refuseHeld(WcStatus.PVRDMA_WC_LOC_LEN_ERR, Ack.NAK_INVALID_REQUEST);
        }
        if (message.invalidates && !context.regions().canInvalidate(message.invalidateKey, qp, true)) {
            return responder.refuseInvalidation(message);
        }
        receives.list().seek(arrived);
        switch (put(receives.list(), frame, at, length)) {
            case DmaList.COPIED:
                break;
            case DmaList.SOURCE_LOST:
                current = arrived == 0 ? NONE : SEND;
                return WITHDRAWN;
            default:
                context.counters().record(Counter.MEMORY_LOST, "destination of a SEND to qpn 0x%x", qp.qpn());
                return refuseHeld(WcStatus.PVRDMA_WC_LOC_PROT_ERR, Ack.NAK_REMOTE_OPERATION);
        }
        arrived += length;
        if (Opcode.ends(opcode)) {
            if (message.invalidates && !context.regions().invalidate(message.invalidateKey, qp, true)) {
                return responder.refuseInvalidation(message);
            }
            finishHeld(WcOpcode.PVRDMA_WC_RECV, arrived);
        }
        return Ack.ACK;
    }

    private int holdReceive(boolean filled) {
        if (holds) {
            // For a packet that was withdrawn.
            return !filled || receives.load(held) == ReceiveQueue.TAKEN ? Ack.ACK
                : refuseHeld(held.status, Ack.NAK_REMOTE_OPERATION);
        }
        final int taken = receives.hold(held, filled);
        if (taken == ReceiveQueue.TAKEN || taken == ReceiveQueue.BAD_WQE) {
            holds = true;
            if (qp.shape().srq() != null) {
                qp.shape().srq().checkLimit();
            }
        }
        switch (taken) {
            case ReceiveQueue.TAKEN:
                return Ack.ACK;
            case ReceiveQueue.EMPTY:
                context.counters().increment(Counter.RNR);
                return Ack.RNR_NAK;
            case ReceiveQueue.BAD_WQE:
                return refuseHeld(held.status, Ack.NAK_REMOTE_OPERATION);
            default:
                responder.breakDown();
                return Ack.NAK_REMOTE_OPERATION;
        }
    }

    private int refuseHeld(int status, int ack) {
        holds = false;
        current = NONE;
        responder.complete(null, held.wrId, WcOpcode.PVRDMA_WC_RECV, status, 0, 0);
        responder.fail(-1);
        return ack;
    }

    private void finishHeld(int opcode, long length) {
        holds = false;
        current = NONE;
        message.sourceQpn = attributes.destQpn;
        responder.complete(message, held.wrId, opcode, WcStatus.PVRDMA_WC_SUCCESS, (int) length, 0);
    }

    private int write(UnsafeBuffer packet, int opcode, Frame frame, int at, int length) {
        if (Opcode.begins(opcode)) {
            message.operation = Operation.WRITE;
            RequestHeaders.takeReth(packet, message);
            if (!responder.reach(remote, message, AccessFlags.PVRDMA_ACCESS_REMOTE_WRITE)) {
                return responder.refuseAccess(remote, message, AccessFlags.PVRDMA_ACCESS_REMOTE_WRITE);
            }
            arrived = 0;
        } else if (current != WRITE) {
            return responder.invalidRequest();
        }
        if (arrived + length > message.length || Opcode.ends(opcode) && arrived + length != message.length) {
            return responder.invalidRequest();
        }
        if (message.immediate) {
            final int ack = holdReceive(false);
            if (ack != Ack.ACK) {
                return ack;
            }
        }
        switch (put(frame, at, length)) {
            case DmaList.COPIED:
                break;
            case DmaList.SOURCE_LOST:
                return WITHDRAWN;
            default:
                return responder.refuseAccess(remote, part, AccessFlags.PVRDMA_ACCESS_REMOTE_WRITE);
        }
        current = WRITE;
        arrived += length;
        if (Opcode.ends(opcode)) {
            current = NONE;
            if (message.immediate) {
                finishHeld(WcOpcode.PVRDMA_WC_RECV_RDMA_WITH_IMM, message.length);
            }
        }
        return Ack.ACK;
    }

    private int put(Frame frame, int at, int length) {
        part(message.remoteAddress + arrived, message.rkey, length);
        return responder.reach(remote, part, AccessFlags.PVRDMA_ACCESS_REMOTE_WRITE)
            ? put(remote.list(), frame, at, length) : DmaList.TARGET_LOST;
    }

    private void part(long address, int rkey, int length) {
        part.remoteAddress = address;
        part.rkey = rkey;
        part.length = length;
    }

    private int read(UnsafeBuffer packet, int psn) {
        if (answers.isFull()) {
            return IGNORED;
        }
        if (!answers.hasResources()) {
            return responder.invalidRequest();
        }
        message.operation = Operation.READ;
        RequestHeaders.takeReth(packet, message);
        if (message.length > 1L << 31) {
            return responder.invalidRequest();
        }
        if (!responder.reach(remote, message, AccessFlags.PVRDMA_ACCESS_REMOTE_READ)) {
            return responder.refuseAccess(remote, message, AccessFlags.PVRDMA_ACCESS_REMOTE_READ);
        }
        responder.psn(Psn.add(psn, answers.packets(message.length)));
        answers.read(psn, message);
        return Ack.ACK;
    }

    private int atomic(UnsafeBuffer packet, int opcode, int psn) {
        RequestHeaders.takeAtomic(packet, opcode, message);
        if (answers.isFull()) {
            return IGNORED;
        }
        if (!answers.hasResources() || (message.remoteAddress & 7) != 0) {
            return responder.invalidRequest();
        }
        if (!responder.reach(remote, message, AccessFlags.PVRDMA_ACCESS_REMOTE_ATOMIC)) {
            return responder.refuseAccess(remote, message, AccessFlags.PVRDMA_ACCESS_REMOTE_ATOMIC);
        }
        switch (remote.atomic(message)) {
            case Ack.ACK:
                break;
            case Ack.NAK_INVALID_REQUEST:
                return responder.invalidRequest();
            default:
                return responder.refuseAccess(remote, message, AccessFlags.PVRDMA_ACCESS_REMOTE_ATOMIC);
        }
        responder.psn(Psn.add(psn, 1));
        answers.atomic(psn, message.original);
        return Ack.ACK;
    }

    /** A receive that was taken for a message that will not end. */
    void flush() {
        if (holds) {
            holds = false;
            responder.complete(null, held.wrId, WcOpcode.PVRDMA_WC_RECV, WcStatus.PVRDMA_WC_WR_FLUSH_ERR, 0, 0);
        }
        current = NONE;
    }

    /** Nothing is sent any more of what waits. */
    void stopAnswering() {
        answers.stop();
    }

    /** A receive of a shared queue that nobody heard of would have its place there for ever. */
    void letGoOfShared() {
        if (qp.shape().srq() != null) {
            flush();
        }
    }

    /** Forgets everything. */
    void reset() {
        letGoOfShared();
        holds = false;
        current = NONE;
        toldToGoBack = false;
        answers.reset();
    }

    @Override
    public String toString() {
        return (current == NONE ? "" : ", " + arrived + " bytes of a message have come") + answers;
    }
}
