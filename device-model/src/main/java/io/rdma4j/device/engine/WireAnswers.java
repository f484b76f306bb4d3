/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.engine;

import io.rdma4j.device.common.SpinLock;
import io.rdma4j.device.link.Ack;
import io.rdma4j.device.link.Message;
import io.rdma4j.device.wire.Lane;
import io.rdma4j.hw.pvrdma.AccessFlags;
import io.rdma4j.hw.roce.Aeth;
import io.rdma4j.hw.roce.Bth;
import io.rdma4j.hw.roce.Opcode;
import io.rdma4j.hw.roce.Psn;
import io.rdma4j.queues.Padded;

import org.agrona.concurrent.UnsafeBuffer;

import java.nio.ByteOrder;
import java.util.concurrent.TimeUnit;

/**
 * What a responder owes its peer (specification, 9.7): the answers to READs and atomics, and behind them one
 * acknowledgement or refusal. They leave in the order of the requests: what finds no room waits, and what follows waits
 * behind it. What the peer did not get is answered again.
 *
 * <pre>
 *   READs and atomics:   answered                    asked       acknowledgement
 *                        v                           v           v
 *        ... is answered | being answered, waits ... |           owed, or nothing
 * </pre>
 *
 * <p>Used under the receive queue's lock. Memory that is answered from is looked up for each packet: a region may be
 * gone since the last one.
 */
final class WireAnswers extends Padded {
    /** Answers to READs and atomics that may wait to be sent, or to be sent again; a power of two. */
    private static final int MAX_ANSWERS = 256;
    /** Packets of answers that are sent before others have their turn. */
    private static final int MAX_AT_ONCE = 64;
    /** Answers that found no room for so long are forgotten: the peer does not read, and if it does, asks again. */
    private static final long FORGET_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final int NOTHING = -1;

    private final EngineContext context;
    private final QueuePair qp;
    private final Responder responder;
    private final QpAttributes attributes;
    /** That of the receives. */
    private final SpinLock lock;
    private final RemoteMemory remote;
    private final PeerLane lane;
    private final Message part = new Message(null, null);
    private final Runnable resume = this::resume;
    private final int[] psns = new int[MAX_ANSWERS];
    private final int[] packets = new int[MAX_ANSWERS];
    private final int[] msns = new int[MAX_ANSWERS];
    private final int[] keys = new int[MAX_ANSWERS];
    private final int[] lengths = new int[MAX_ANSWERS];
    /** Of a READ the remote address; of an atomic the value before. */
    private final long[] values = new long[MAX_ANSWERS];
    private final boolean[] atomic = new boolean[MAX_ANSWERS];
    /** Whether it was answered before, and the peer asked again. */
    private final boolean[] again = new boolean[MAX_ANSWERS];
    /** Counts answers, as asked. */
    private int answered;
    private int asked;
    /** Of those that wait, the ones that were not answered before. */
    private int firsts;
    /** Of the answer at answered: how many of its packets are sent. */
    private int nextPacket;
    private int owedSyndrome = NOTHING;
    private int owedPsn;
    /** Messages that are complete. */
    private int msn;
    /** Of what has come and is to be answered: the attribute may be changed meanwhile. */
    private int mtuShift;
    private boolean stalled;
    /** Whether the first of what waits has found no room, and since when. */
    private boolean hasNoRoom;
    private long noRoomSince;
    /** Memory of the answer that is being sent went away. */
    private boolean lost;

    /** Results of atomics, by sequence number, for a peer that did not get them. */
    private final int[] resultPsns;
    private final long[] results;
    private int resultCount;
    private int resultNext;

    WireAnswers(EngineContext context, QueuePair qp, Responder responder, SpinLock lock) {
        this.context = context;
        this.qp = qp;
        this.responder = responder;
        this.attributes = qp.attributes();
        this.lock = lock;
        this.remote = new RemoteMemory(context, qp);
        this.lane = new PeerLane(context, attributes);
        final int depth = Math.max(1, context.limits().maxRdAtomic());
        this.resultPsns = new int[depth];
        this.results = new long[depth];
    }

    /** Between two messages: packets have the size that the connection has now, unless some still wait to be sent. */
    void takeMtu() {
        if (answered == asked) {
            mtuShift = attributes.mtuShift;
        }
    }

    /** The path MTU is 1 shifted by so much. */
    int mtuShift() {
        return mtuShift;
    }

    /** How many sequence numbers so many bytes take. */
    int packets(long length) {
        return QpAttributes.packets(length, mtuShift);
    }

    /** Whether no further READ or atomic can be remembered. */
    boolean isFull() {
        return asked - answered >= MAX_ANSWERS;
    }

    /** Whether one more READ or atomic may be outstanding. What is answered again needs no resource. */
    boolean hasResources() {
        return firsts < attributes.maxDestRdAtomic;
    }

    /** A SEND or WRITE is complete: what is said from now on counts it. */
    void completed() {
        msn++;
    }

    /** Answers a READ that was checked. */
    void read(int psn, Message message) {
        msn++;
        addRead(psn, message, false);
        send();
    }

    /** Answers an atomic that was carried out, and remembers its result: it is not carried out again. */
    void atomic(int psn, long original) {
        msn++;
        resultPsns[resultNext] = psn;
        results[resultNext] = original;
        resultNext = resultNext + 1 == results.length ? 0 : resultNext + 1;
        resultCount = Math.min(resultCount + 1, results.length);
        addAtomic(psn, original, false);
        send();
    }

    private void addRead(int psn, Message message, boolean isAgain) {
        final int slot = asked & MAX_ANSWERS - 1;
        psns[slot] = psn;
        packets[slot] = packets(message.length);
        msns[slot] = msn;
        keys[slot] = message.rkey;
        lengths[slot] = (int) message.length;
        values[slot] = message.remoteAddress;
        atomic[slot] = false;
        added(slot, isAgain);
    }

    private void addAtomic(int psn, long original, boolean isAgain) {
        final int slot = asked & MAX_ANSWERS - 1;
        psns[slot] = psn;
        packets[slot] = 1;
        msns[slot] = msn;
        values[slot] = original;
        atomic[slot] = true;
        added(slot, isAgain);
    }

    private void added(int slot, boolean isAgain) {
        again[slot] = isAgain;
        firsts += isAgain ? 0 : 1;
        asked++;
    }

    /** Answers at once, or as soon as there is room and it is its turn; a later word stands for earlier ones. */
    void say(int syndrome, int psn) {
        owedSyndrome = syndrome;
        owedPsn = psn;
        send();
    }

    /** A packet that was taken before: the peer did not get what was said to it. */
    void again(UnsafeBuffer packet, int opcode, int psn) {
        if (opcode == Opcode.READ_REQUEST) {
            readAgain(packet, psn);
        } else if (Opcode.isAtomic(opcode)) {
            atomicAgain(psn);
        } else if ((Bth.asksAck(packet, 0) || Opcode.ends(opcode))
            && (owedSyndrome == NOTHING || Aeth.isAck(owedSyndrome))) {
            // A refusal that waits says more, and so does what acknowledges later packets.
            if (owedSyndrome == NOTHING || Psn.ahead(psn, owedPsn) > 0) {
                // Of this packet, and none behind it: SoftRoCE takes that of a READ or an atomic for its answer.
                say(Aeth.ACK, psn);
            }
        }
    }

    /** The same request, or what is missing of its answer; nothing that was not asked for before. */
    private void readAgain(UnsafeBuffer packet, int psn) {
        for (int i = answered; i != asked; i++) {
            final int slot = i & MAX_ANSWERS - 1;
            final int index = Psn.ahead(psn, psns[slot]);
            if (!atomic[slot] && index >= 0 && index < packets[slot]) {
                if (i == answered && hasEarlierBehind(psn)) {
                    // The peer went back to one before it, whose answer waits behind this one: so it has to follow.
                    finish(slot);
                    break;
                }
                beginAt(slot, index);
                if (i == answered) {
                    nextPacket = 0;
                }
                return;
            }
        }
        RequestHeaders.takeReth(packet, part);
        // Where none is allowed none was answered: it only looks like a repeat.
        if (attributes.maxDestRdAtomic == 0 || isFull() || part.length > 1L << 31
            || Psn.ahead(Psn.add(psn, packets(part.length)), responder.psn()) > 0
            || !responder.reach(remote, part, AccessFlags.PVRDMA_ACCESS_REMOTE_READ)) {
            return;
        }
        addRead(psn, part, true);
        send();
    }

    private boolean hasEarlierBehind(int psn) {
        for (int i = answered + 1; i != asked; i++) {
            if (Psn.ahead(psns[i & MAX_ANSWERS - 1], psn) < 0) {
                return true;
            }
        }
        return false;
    }

    /**
     * What is asked for once more is a request of its own (9.7): its answer is no middle of another one. The peer has
     * what was in front of it.
     */
    private void beginAt(int slot, int index) {
        psns[slot] = Psn.add(psns[slot], index);
        packets[slot] -= index;
        lengths[slot] -= index << mtuShift;
        values[slot] += (long) index << mtuShift;
    }

    private void atomicAgain(int psn) {
        for (int i = answered; i != asked; i++) {
            final int slot = i & MAX_ANSWERS - 1;
            if (atomic[slot] && psns[slot] == psn) {
                return; // Its answer has not left yet.
            }
        }
        // The newest first: an older one has this number, too, if it came round since.
        for (int i = 1; i <= resultCount; i++) {
            final int slot = resultNext < i ? resultNext - i + results.length : resultNext - i;
            if (resultPsns[slot] == psn && !isFull()) {
                addAtomic(psn, results[slot], true);
                send();
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
        lock.lock();
        try {
            stalled = false;
            if (!qp.isDead()) {
                send();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Sends what waits, as far as there is room; then what is owed. */
    private void send() {
        final Lane way = lane.get();
        if (way == null) {
            stop();
            return;
        }
        final int first = answered;
        final int packet = nextPacket;
        lost = false;
        send(way);
        if (lost) {
            refuse();
            send(way);
        }
        if (answered != asked || owedSyndrome != NOTHING) {
            waitForRoom(first != answered || packet != nextPacket);
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
            stop();
            return;
        }
        stall(moved);
    }

    private void stall(boolean moved) {
        if (!stalled) {
            stalled = true;
            context.wire().whenThereIsRoom(resume, moved);
        }
    }

    private void send(Lane way) {
        way.lock().lock();
        try {
            int left = MAX_AT_ONCE;
            while (answered != asked && left > 0 && sendPacket(way)) {
                left--;
            }
            if (answered == asked && owedSyndrome != NOTHING && putOwed(way)) {
                owedSyndrome = NOTHING;
            }
        } finally {
            way.lock().unlock();
        }
    }

    /** The memory of the first answer is gone. Not under the lane's lock: completions are written here. */
    private void refuse() {
        final int slot = answered & MAX_ANSWERS - 1;
        if (again[slot]) {
            // The peer had it once; what it does not need any more is no violation.
            finish(slot);
            return;
        }
        owedPsn = Psn.add(psns[slot], nextPacket);
        forget();
        owedSyndrome = responder.refuseAccess(remote, part, AccessFlags.PVRDMA_ACCESS_REMOTE_READ)
            == Ack.NAK_REMOTE_ACCESS ? Aeth.NAK_REMOTE_ACCESS : Aeth.NAK_INVALID_REQUEST;
    }

    private void finish(int slot) {
        firsts -= again[slot] ? 0 : 1;
        answered++;
        nextPacket = 0;
    }

    private void forget() {
        answered = asked;
        nextPacket = 0;
        firsts = 0;
    }

    /** Under the lane's lock: one packet; false if there is no room. */
    private boolean sendPacket(Lane way) {
        final int slot = answered & MAX_ANSWERS - 1;
        if (atomic[slot]) {
            if (!putAtomic(way, slot)) {
                return false;
            }
            finish(slot);
            return true;
        }
        final int mtu = 1 << mtuShift;
        final long from = (long) nextPacket << mtuShift;
        final int length = (int) Math.min(mtu, Integer.toUnsignedLong(lengths[slot]) - from);
        final boolean last = nextPacket == packets[slot] - 1;
        final int opcode = nextPacket == 0 ? last ? Opcode.READ_RESPONSE_ONLY : Opcode.READ_RESPONSE_FIRST
            : last ? Opcode.READ_RESPONSE_LAST : Opcode.READ_RESPONSE_MIDDLE;
        final int headers = Bth.LENGTH + Opcode.extendedLength(opcode);
        final int total = headers + length + Bth.pad(length);
        final long address = way.claim(total);
        if (address == 0) {
            return false;
        }
        final int psn = Psn.add(psns[slot], nextPacket);
        final UnsafeBuffer frame = way.frame();
        frame.wrap(address, total);
        if (length > 0) {
            frame.putInt(total - Integer.BYTES, 0);
        }
        Bth.put(frame, 0, opcode, Bth.flags(false, length), attributes.destQpn, psn, false);
        if (Opcode.hasAeth(opcode)) {
            Aeth.put(frame, Bth.LENGTH, Aeth.ACK, msns[slot]);
        }
        part(values[slot] + from, keys[slot], length);
        if (length > 0 && !(responder.reach(remote, part, AccessFlags.PVRDMA_ACCESS_REMOTE_READ)
            && remote.get(address + headers, length))) {
            lost = true;
            return false;
        }
        way.commit(attributes.trafficClass, attributes.flowLabel, attributes.hopLimit);
        nextPacket++;
        if (last) {
            finish(slot);
        }
        return true;
    }

    private void part(long address, int rkey, int length) {
        part.remoteAddress = address;
        part.rkey = rkey;
        part.length = length;
    }

    private boolean putAtomic(Lane way, int slot) {
        final int total = Bth.LENGTH + Aeth.LENGTH + Long.BYTES;
        final long address = way.claim(total);
        if (address == 0) {
            return false;
        }
        final UnsafeBuffer frame = way.frame();
        frame.wrap(address, total);
        Bth.put(frame, 0, Opcode.ATOMIC_ACKNOWLEDGE, 0, attributes.destQpn, psns[slot], false);
        Aeth.put(frame, Bth.LENGTH, Aeth.ACK, msns[slot]);
        frame.putLong(Bth.LENGTH + Aeth.LENGTH, values[slot], ByteOrder.BIG_ENDIAN);
        way.commit(attributes.trafficClass, attributes.flowLabel, attributes.hopLimit);
        return true;
    }

    private boolean putOwed(Lane way) {
        final int total = Bth.LENGTH + Aeth.LENGTH;
        final long address = way.claim(total);
        if (address == 0) {
            return false;
        }
        final UnsafeBuffer frame = way.frame();
        frame.wrap(address, total);
        Bth.put(frame, 0, Opcode.ACKNOWLEDGE, 0, attributes.destQpn, owedPsn, false);
        Aeth.put(frame, Bth.LENGTH, owedSyndrome, msn);
        way.commit(attributes.trafficClass, attributes.flowLabel, attributes.hopLimit);
        return true;
    }

    /** Nothing is sent any more of what waits. */
    void stop() {
        hasNoRoom = false;
        forget();
        owedSyndrome = NOTHING;
    }

    /** Forgets everything. */
    void reset() {
        msn = 0;
        stop();
        resultCount = 0;
        resultNext = 0;
        lane.forget();
    }

    @Override
    public String toString() {
        return (answered == asked ? "" : ", " + (asked - answered) + " answers wait") + (stalled ? " for room" : "");
    }
}
