/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.engine;

import io.rdma4j.device.common.Counter;
import io.rdma4j.device.link.Ack;
import io.rdma4j.device.link.Message;
import io.rdma4j.device.link.Operation;
import io.rdma4j.device.memory.DmaList;
import io.rdma4j.device.wire.Frame;
import io.rdma4j.device.wire.Lane;
import io.rdma4j.hw.pvrdma.AccessFlags;
import io.rdma4j.hw.pvrdma.WcOpcode;
import io.rdma4j.hw.pvrdma.WcStatus;
import io.rdma4j.hw.roce.Aeth;
import io.rdma4j.hw.roce.AtomicEth;
import io.rdma4j.hw.roce.Bth;
import io.rdma4j.hw.roce.Opcode;
import io.rdma4j.hw.roce.Psn;
import io.rdma4j.hw.roce.Reth;
import io.rdma4j.queues.Padded;

import org.agrona.BufferUtil;
import org.agrona.UnsafeApi;
import org.agrona.concurrent.UnsafeBuffer;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.TimeUnit;

/**
 * The responder of a reliable connection over a wire (specification, 9.7): takes the packets of requests in order, and
 * answers. Answers leave in the order of the requests, too: what finds no room waits, and what follows waits behind it.
 *
 * <p>Used under the receive queue's lock. Memory that a message goes to is looked up for each packet: a region may be
 * gone since the last one.
 */
final class WireResponder extends Padded {
    /** Answers to READs and atomics that may wait to be sent, or to be sent again; a power of two. */
    private static final int MAX_ANSWERS = 256;
    /** Packets of answers that are sent before others have their turn. */
    private static final int MAX_AT_ONCE = 64;
    /** Answers that found no room for so long are forgotten: the peer does not read, and if it does, asks again. */
    private static final long FORGET_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final int NOTHING = -1;
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
    private final PeerLane lane;
    private final HeldReceive held;
    private final long scratch;
    @SuppressWarnings("unused")
    private final ByteBuffer scratchOwner = ByteBuffer.allocateDirect(Long.BYTES);
    private final Message message = new Message(null, null);
    private final Message part = new Message(null, null);
    private final Runnable resume = this::resume;
    private int msn;
    /** What the message that has begun and not ended is; how much of it has come. */
    private int current;
    private long arrived;
    private boolean holds;
    /** A packet is missing, or no receive was there: what follows is not for now, and the peer knows. */
    private boolean toldToGoBack;

    private final int[] answerPsns = new int[MAX_ANSWERS];
    private final int[] answerPackets = new int[MAX_ANSWERS];
    private final int[] answerMsns = new int[MAX_ANSWERS];
    private final int[] answerKeys = new int[MAX_ANSWERS];
    private final int[] answerLengths = new int[MAX_ANSWERS];
    /** Of a READ the remote address; of an atomic the value before. */
    private final long[] answerValues = new long[MAX_ANSWERS];
    private final boolean[] answerAtomic = new boolean[MAX_ANSWERS];
    /** Whether it was answered before, and the peer asked again. */
    private final boolean[] answerAgain = new boolean[MAX_ANSWERS];
    private int answered;
    private int answers;
    /** Of those that wait, the ones that were not answered before. */
    private int firsts;
    /** Packets of the first answer that are sent. */
    private int answerNext;
    private int owedSyndrome = NOTHING;
    private int owedPsn;
    private boolean stalled;
    /** Whether the first of what waits has found no room, and since when. */
    private boolean hasNoRoom;
    private long noRoomSince;
    /** Memory of the answer that is being sent went away. */
    private boolean lost;
    /** Of what has come and is to be answered: the attribute may be changed meanwhile. */
    private int mtuShift;

    /** Results of atomics, by sequence number, for a peer that did not get them. */
    private final int[] resultPsns;
    private final long[] results;
    private int resultCount;
    private int resultNext;

    WireResponder(EngineContext context, QueuePair qp, Responder responder, ReceiveQueue receives) {
        this.context = context;
        this.qp = qp;
        this.responder = responder;
        this.attributes = qp.attributes();
        this.receives = receives;
        this.remote = new RemoteMemory(context, qp);
        this.lane = new PeerLane(context, attributes);
        this.held = new HeldReceive(receives.maxSge());
        this.scratch = BufferUtil.address(scratchOwner);
        final int depth = Math.max(1, context.limits().maxRdAtomic());
        this.resultPsns = new int[depth];
        this.results = new long[depth];
    }

    /** A packet of a request, or several that refer to their payload together. */
    void onRequest(UnsafeBuffer packet, int opcode, Frame frame, int at, int length) {
        if (current == NONE && answered == answers) {
            mtuShift = attributes.mtuShift;
        }
        final int psn = Bth.psn(packet, 0);
        final int ahead = Psn.ahead(psn, responder.psn());
        final boolean asked = Bth.asksAck(packet, 0);
        if (ahead < 0) {
            context.counters().increment(Counter.RESENT_PACKETS);
            again(packet, opcode, psn, asked);
        } else if (ahead > 0) {
            context.counters().increment(Counter.RESENT_PACKETS);
            if (!toldToGoBack) {
                toldToGoBack = true;
                say(Aeth.NAK_SEQUENCE, responder.psn());
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
                if (opcode == Opcode.READ_REQUEST || Opcode.isAtomic(opcode)) {
                    sendAnswers();
                } else {
                    taken(packet, opcode, psn, frame.referred == 0 ? 1 : packets(length));
                }
                break;
            case IGNORED:
                break;
            case WITHDRAWN:
                toldToGoBack = true;
                say(Aeth.NAK_SEQUENCE, psn);
                break;
            case Ack.RNR_NAK:
                toldToGoBack = true;
                say(Aeth.RNR_NAK | attributes.minRnrTimer & 31, psn);
                break;
            case Ack.NAK_INVALID_REQUEST:
                say(Aeth.NAK_INVALID_REQUEST, psn);
                break;
            case Ack.NAK_REMOTE_ACCESS:
                say(Aeth.NAK_REMOTE_ACCESS, psn);
                break;
            default:
                say(Aeth.NAK_REMOTE_OPERATION, psn);
        }
    }

    private void taken(UnsafeBuffer packet, int opcode, int psn, int count) {
        responder.psn(Psn.add(psn, count));
        msn += Opcode.ends(opcode) ? 1 : 0;
        if (Bth.asksAck(packet, 0)) {
            say(Aeth.ACK, Psn.add(psn, count - 1));
        }
    }

    private int accept(UnsafeBuffer packet, int opcode, Frame frame, int at, int length) {
        final boolean begins = Opcode.begins(opcode);
        if (begins != (current == NONE) || !fits(opcode, length, frame.referred != 0)) {
            return responder.invalidRequest();
        }
        message.solicited = Bth.isSolicited(packet, 0);
        message.immediate = Opcode.hasImmediate(opcode);
        message.invalidates = Opcode.invalidates(opcode);
        if (message.immediate) {
            message.immData = packet.getInt(Bth.LENGTH + Opcode.extendedLength(opcode) - Integer.BYTES,
                ByteOrder.LITTLE_ENDIAN);
        } else if (message.invalidates) {
            message.invalidateKey = packet.getInt(Bth.LENGTH, ByteOrder.BIG_ENDIAN);
        }
        if (Opcode.isSend(opcode)) {
            return send(opcode, frame, at, length);
        }
        if (Opcode.isWrite(opcode)) {
            return write(packet, opcode, frame, at, length);
        }
        return Opcode.isAtomic(opcode) ? atomic(packet, opcode, responder.psn()) : read(packet, responder.psn());
    }

    /** All packets of a message are full but the last, which holds something. */
    private boolean fits(int opcode, int length, boolean together) {
        final int mtu = 1 << mtuShift;
        if (together) {
            return length >= Long.BYTES && (Opcode.ends(opcode) || (length & mtu - 1) == 0);
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
            final int ack = holdReceive();
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
        if (arrived + length > receives.list().length()) {
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

    private int holdReceive() {
        if (holds) {
            // For a first packet that was withdrawn.
            return receives.load(held) == ReceiveQueue.TAKEN ? Ack.ACK
                : refuseHeld(held.status, Ack.NAK_REMOTE_OPERATION);
        }
        final int taken = receives.hold(held);
        if (taken == ReceiveQueue.TAKEN || taken == ReceiveQueue.BAD_WQE) {
            holds = true;
            if (qp.shape().srq() != null) {
                qp.shape().srq().taken();
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
            message.remoteAddress = Reth.address(packet, Bth.LENGTH);
            message.rkey = Reth.rkey(packet, Bth.LENGTH);
            message.length = Reth.length(packet, Bth.LENGTH);
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
            final int ack = holdReceive();
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
        if (answers - answered >= MAX_ANSWERS) {
            return IGNORED;
        }
        if (firsts >= attributes.maxDestRdAtomic) {
            return responder.invalidRequest();
        }
        message.operation = Operation.READ;
        message.remoteAddress = Reth.address(packet, Bth.LENGTH);
        message.rkey = Reth.rkey(packet, Bth.LENGTH);
        message.length = Reth.length(packet, Bth.LENGTH);
        if (message.length > 1L << 31) {
            return responder.invalidRequest();
        }
        if (!responder.reach(remote, message, AccessFlags.PVRDMA_ACCESS_REMOTE_READ)) {
            return responder.refuseAccess(remote, message, AccessFlags.PVRDMA_ACCESS_REMOTE_READ);
        }
        msn++;
        addRead(psn, false);
        responder.psn(Psn.add(psn, packets(message.length)));
        return Ack.ACK;
    }

    private void addRead(int psn, boolean again) {
        final int slot = answers & MAX_ANSWERS - 1;
        answerPsns[slot] = psn;
        answerPackets[slot] = packets(message.length);
        answerMsns[slot] = msn;
        answerKeys[slot] = message.rkey;
        answerLengths[slot] = (int) message.length;
        answerValues[slot] = message.remoteAddress;
        answerAtomic[slot] = false;
        added(slot, again);
    }

    private int packets(long length) {
        return QpAttributes.packets(length, mtuShift);
    }

    private void added(int slot, boolean again) {
        answerAgain[slot] = again;
        firsts += again ? 0 : 1;
        answers++;
    }

    private void addAtomic(int psn, long original, boolean again) {
        final int slot = answers & MAX_ANSWERS - 1;
        answerPsns[slot] = psn;
        answerPackets[slot] = 1;
        answerMsns[slot] = msn;
        answerValues[slot] = original;
        answerAtomic[slot] = true;
        added(slot, again);
    }

    private int atomic(UnsafeBuffer packet, int opcode, int psn) {
        message.remoteAddress = AtomicEth.address(packet, Bth.LENGTH);
        message.rkey = AtomicEth.rkey(packet, Bth.LENGTH);
        message.length = Long.BYTES;
        if (answers - answered >= MAX_ANSWERS) {
            return IGNORED;
        }
        if (firsts >= attributes.maxDestRdAtomic || (message.remoteAddress & 7) != 0) {
            return responder.invalidRequest();
        }
        if (!responder.reach(remote, message, AccessFlags.PVRDMA_ACCESS_REMOTE_ATOMIC)) {
            return responder.refuseAccess(remote, message, AccessFlags.PVRDMA_ACCESS_REMOTE_ATOMIC);
        }
        readOperands(packet, opcode);
        switch (remote.atomic(message)) {
            case Ack.ACK:
                break;
            case Ack.NAK_INVALID_REQUEST:
                return responder.invalidRequest();
            default:
                return responder.refuseAccess(remote, message, AccessFlags.PVRDMA_ACCESS_REMOTE_ATOMIC);
        }
        msn++;
        resultPsns[resultNext] = psn;
        results[resultNext] = message.original;
        resultNext = resultNext + 1 == results.length ? 0 : resultNext + 1;
        resultCount = Math.min(resultCount + 1, results.length);
        addAtomic(psn, message.original, false);
        responder.psn(Psn.add(psn, 1));
        return Ack.ACK;
    }

    private void readOperands(UnsafeBuffer packet, int opcode) {
        final boolean masked = Opcode.transport(opcode) == Opcode.MANUFACTURER;
        final int masks = Bth.LENGTH + AtomicEth.LENGTH;
        if (Opcode.operation(opcode) == Opcode.FETCH_ADD) {
            message.operation = masked ? Operation.MASKED_FETCH_ADD : Operation.FETCH_ADD;
            message.compareAdd = AtomicEth.swapOrAdd(packet, Bth.LENGTH);
            message.fieldBoundary = masked ? packet.getLong(masks, ByteOrder.BIG_ENDIAN) : 0;
        } else {
            message.operation = masked ? Operation.MASKED_COMPARE_SWAP : Operation.COMPARE_SWAP;
            message.compareAdd = AtomicEth.compare(packet, Bth.LENGTH);
            message.swap = AtomicEth.swapOrAdd(packet, Bth.LENGTH);
            message.swapMask = masked ? packet.getLong(masks, ByteOrder.BIG_ENDIAN) : -1;
            message.compareMask = masked ? packet.getLong(masks + Long.BYTES, ByteOrder.BIG_ENDIAN) : -1;
        }
    }

    /** A packet that was taken before: the peer did not get what was said to it. */
    private void again(UnsafeBuffer packet, int opcode, int psn, boolean asked) {
        if (opcode == Opcode.READ_REQUEST) {
            readAgain(packet, psn);
        } else if (Opcode.isAtomic(opcode)) {
            atomicAgain(psn);
        } else if ((asked || Opcode.ends(opcode)) && (owedSyndrome == NOTHING || Aeth.isAck(owedSyndrome))) {
            // A refusal that waits says more, and so does what acknowledges later packets.
            if (owedSyndrome == NOTHING || Psn.ahead(psn, owedPsn) > 0) {
                // Of this packet, and none behind it: SoftRoCE takes that of a READ or an atomic for its answer.
                say(Aeth.ACK, psn);
            }
        }
    }

    /** The same request, or what is missing of its answer; nothing that was not asked for before. */
    private void readAgain(UnsafeBuffer packet, int psn) {
        for (int i = answered; i != answers; i++) {
            final int slot = i & MAX_ANSWERS - 1;
            final int index = Psn.ahead(psn, answerPsns[slot]);
            if (!answerAtomic[slot] && index >= 0 && index < answerPackets[slot]) {
                beginAt(slot, index);
                if (i == answered) {
                    answerNext = 0;
                }
                return;
            }
        }
        part(Reth.address(packet, Bth.LENGTH), Reth.rkey(packet, Bth.LENGTH), 0);
        part.length = Reth.length(packet, Bth.LENGTH);
        if (answers - answered >= MAX_ANSWERS || part.length > 1L << 31
            || Psn.ahead(Psn.add(psn, packets(part.length)), responder.psn()) > 0
            || !responder.reach(remote, part, AccessFlags.PVRDMA_ACCESS_REMOTE_READ)) {
            return;
        }
        final long address = message.remoteAddress;
        final long length = message.length;
        final int rkey = message.rkey;
        message.remoteAddress = part.remoteAddress;
        message.length = part.length;
        message.rkey = part.rkey;
        addRead(psn, true);
        // A message that has begun goes on.
        message.remoteAddress = address;
        message.length = length;
        message.rkey = rkey;
        sendAnswers();
    }

    /**
     * What is asked for once more is a request of its own (9.7): its answer is no middle of another one. The peer has
     * what was in front of it.
     */
    private void beginAt(int slot, int index) {
        answerPsns[slot] = Psn.add(answerPsns[slot], index);
        answerPackets[slot] -= index;
        answerLengths[slot] -= index << mtuShift;
        answerValues[slot] += (long) index << mtuShift;
    }

    private void atomicAgain(int psn) {
        // The newest first: an older one has this number, too, if it came round since.
        for (int i = 1; i <= resultCount; i++) {
            final int slot = resultNext < i ? resultNext - i + results.length : resultNext - i;
            if (resultPsns[slot] == psn && answers - answered < MAX_ANSWERS) {
                addAtomic(psn, results[slot], true);
                sendAnswers();
                return;
            }
        }
    }

    private void resume() {
        try {
            goOn();
        } catch (final RuntimeException | InternalError e) {
            qp.requester().abort("answers of", e);
        }
    }

    private void goOn() {
        receives.lock().lock();
        try {
            stalled = false;
            if (!qp.isDead()) {
                sendAnswers();
            }
        } finally {
            receives.lock().unlock();
        }
    }

    /** Sends what waits, as far as there is room; then what is owed. */
    private void sendAnswers() {
        final Lane way = lane.get();
        if (way == null) {
            stopAnswering();
            return;
        }
        final int first = answered;
        final int packet = answerNext;
        lost = false;
        sendAnswers(way);
        if (lost) {
            refuseAnswer();
            sendAnswers(way);
        }
        if (answered != answers || owedSyndrome != NOTHING) {
            waitForRoom(first != answered || packet != answerNext);
        } else {
            hasNoRoom = false;
        }
    }

    private void waitForRoom(boolean moved) {
        final long now = context.timers().now();
        if (moved || !hasNoRoom) {
            hasNoRoom = true;
            noRoomSince = now;
        } else if (now - noRoomSince > FORGET_NANOS) {
            stopAnswering();
            return;
        }
        stall(moved);
    }

    private void sendAnswers(Lane way) {
        way.lock().lock();
        try {
            int left = MAX_AT_ONCE;
            while (answered != answers && left > 0 && sendAnswer(way)) {
                left--;
            }
            if (answered == answers && owedSyndrome != NOTHING && put(way, owedSyndrome, owedPsn)) {
                owedSyndrome = NOTHING;
            }
        } finally {
            way.lock().unlock();
        }
    }

    /** The memory of the first answer is gone. Not under the lane's lock: completions are written here. */
    private void refuseAnswer() {
        final int slot = answered & MAX_ANSWERS - 1;
        if (answerAgain[slot]) {
            // The peer had it once; what it does not need any more is no violation.
            isAnswered(slot);
            return;
        }
        owedPsn = Psn.add(answerPsns[slot], answerNext);
        forgetAnswers();
        owedSyndrome = responder.refuseAccess(remote, part, AccessFlags.PVRDMA_ACCESS_REMOTE_READ)
            == Ack.NAK_REMOTE_ACCESS ? Aeth.NAK_REMOTE_ACCESS : Aeth.NAK_INVALID_REQUEST;
    }

    private void isAnswered(int slot) {
        firsts -= answerAgain[slot] ? 0 : 1;
        answered++;
        answerNext = 0;
    }

    private void forgetAnswers() {
        answered = answers;
        answerNext = 0;
        firsts = 0;
    }

    /** Nothing is sent any more of what waits. */
    void stopAnswering() {
        hasNoRoom = false;
        forgetAnswers();
        owedSyndrome = NOTHING;
    }

    private void stall(boolean moved) {
        if (!stalled) {
            stalled = true;
            context.wire().whenThereIsRoom(resume, moved);
        }
    }

    /** Under the lane's lock: one packet; false if there is no room. */
    private boolean sendAnswer(Lane way) {
        final int slot = answered & MAX_ANSWERS - 1;
        if (answerAtomic[slot]) {
            if (!putAtomic(way, slot)) {
                return false;
            }
            isAnswered(slot);
            return true;
        }
        final int mtu = 1 << mtuShift;
        final long from = (long) answerNext << mtuShift;
        final int length = (int) Math.min(mtu, Integer.toUnsignedLong(answerLengths[slot]) - from);
        final boolean last = answerNext == answerPackets[slot] - 1;
        final int opcode = answerNext == 0 ? last ? Opcode.READ_RESPONSE_ONLY : Opcode.READ_RESPONSE_FIRST
            : last ? Opcode.READ_RESPONSE_LAST : Opcode.READ_RESPONSE_MIDDLE;
        final int headers = Bth.LENGTH + Opcode.extendedLength(opcode);
        final int total = headers + length + Bth.pad(length);
        final long address = way.claim(total);
        if (address == 0) {
            return false;
        }
        final int psn = Psn.add(answerPsns[slot], answerNext);
        final UnsafeBuffer frame = way.frame();
        frame.wrap(address, total);
        if (length > 0) {
            frame.putInt(total - Integer.BYTES, 0);
        }
        Bth.put(frame, 0, opcode, Bth.flags(false, length), attributes.destQpn, psn, false);
        if (Opcode.hasAeth(opcode)) {
            Aeth.put(frame, Bth.LENGTH, Aeth.ACK, answerMsns[slot]);
        }
        part(answerValues[slot] + from, answerKeys[slot], length);
        if (length > 0 && !(responder.reach(remote, part, AccessFlags.PVRDMA_ACCESS_REMOTE_READ)
            && remote.get(address + headers, length))) {
            lost = true;
            return false;
        }
        way.commit(attributes.trafficClass, attributes.flowLabel, attributes.hopLimit);
        answerNext++;
        if (last) {
            isAnswered(slot);
        }
        return true;
    }

    private boolean putAtomic(Lane way, int slot) {
        final int total = Bth.LENGTH + Aeth.LENGTH + Long.BYTES;
        final long address = way.claim(total);
        if (address == 0) {
            return false;
        }
        final UnsafeBuffer frame = way.frame();
        frame.wrap(address, total);
        Bth.put(frame, 0, Opcode.ATOMIC_ACKNOWLEDGE, 0, attributes.destQpn, answerPsns[slot], false);
        Aeth.put(frame, Bth.LENGTH, Aeth.ACK, answerMsns[slot]);
        frame.putLong(Bth.LENGTH + Aeth.LENGTH, answerValues[slot], ByteOrder.BIG_ENDIAN);
        way.commit(attributes.trafficClass, attributes.flowLabel, attributes.hopLimit);
        return true;
    }

    /** Answers at once, or as soon as there is room and it is its turn; a later word stands for earlier ones. */
    private void say(int syndrome, int psn) {
        owedSyndrome = syndrome;
        owedPsn = psn;
        sendAnswers();
    }

    private boolean put(Lane way, int syndrome, int psn) {
        final int total = Bth.LENGTH + Aeth.LENGTH;
        final long address = way.claim(total);
        if (address == 0) {
            return false;
        }
        final UnsafeBuffer frame = way.frame();
        frame.wrap(address, total);
        Bth.put(frame, 0, Opcode.ACKNOWLEDGE, 0, attributes.destQpn, psn, false);
        Aeth.put(frame, Bth.LENGTH, syndrome, msn);
        way.commit(attributes.trafficClass, attributes.flowLabel, attributes.hopLimit);
        return true;
    }

    /** A receive that was taken for a message that will not end. */
    void flush() {
        if (holds) {
            holds = false;
            responder.complete(null, held.wrId, WcOpcode.PVRDMA_WC_RECV, WcStatus.PVRDMA_WC_WR_FLUSH_ERR, 0, 0);
        }
        current = NONE;
    }

    /** Forgets everything. */
    void reset() {
        holds = false;
        current = NONE;
        msn = 0;
        toldToGoBack = false;
        stopAnswering();
        resultCount = 0;
        resultNext = 0;
        lane.forget();
    }

    @Override
    public String toString() {
        return (current == NONE ? "" : ", " + arrived + " bytes of a message have come")
            + (answered == answers ? "" : ", " + (answers - answered) + " answers wait") + (stalled ? " for room" : "");
    }
}
