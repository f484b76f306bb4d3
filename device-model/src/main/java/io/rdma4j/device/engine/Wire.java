/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.engine;

import io.rdma4j.device.common.Counter;
import io.rdma4j.device.link.Agenda;
import io.rdma4j.device.link.Message;
import io.rdma4j.device.link.Operation;
import io.rdma4j.device.wire.Carrier;
import io.rdma4j.device.wire.Frame;
import io.rdma4j.device.wire.FrameReceiver;
import io.rdma4j.hw.pvrdma.GidType;
import io.rdma4j.hw.roce.Bth;
import io.rdma4j.hw.roce.Deth;
import io.rdma4j.hw.roce.Opcode;
import io.rdma4j.queues.Padded;

import org.agrona.concurrent.UnsafeBuffer;

import java.nio.ByteOrder;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * The end of a device's wire: gives packets to the queue pairs that they are for, and has those go on that had to stop.
 * Packets come from anybody: each field is checked before it is used, and what is wrong is dropped and counted.
 */
public final class Wire extends Padded implements FrameReceiver {
    private static final int PKEY_MASK = 0x7fff;
    private static final int MAX_FRAMES = 64;
    private static final int HOPS = 64;
    private static final long FOR_ROOM_NANOS = 50_000;
    /** A peer that reads nothing is not looked after all the time. */
    private static final long MOST_FOR_ROOM_NANOS = 10_000_000;
    /** Others may send all the time, and who serves the wire may have no processor. */
    private static final int MOST_PASSES = 1_024;
    private static final long FOR_TURN_NANOS = 1_000_000_000;

    private final EngineContext context;
    private final Carrier carrier;
    private final boolean isOrdered;
    private final QueuePairs queuePairs;
    private final Agenda blocked = new Agenda();
    private final UnsafeBuffer packet = new UnsafeBuffer(0, 0);
    private final Message datagram = new Message(null, null);
    /** How long to wait for room: longer each time that nothing was sent, and nothing ended the wait. */
    private volatile long forRoom = FOR_ROOM_NANOS;
    /** Who sleeps in the carrier; null before. */
    private volatile Thread sleeper;
    /** Whether there are peers: else whoever polls need not look. */
    private volatile boolean inUse;
    /** How often somebody else than the device's thread served the wire; counts are lost, a change is not. */
    private volatile int helped;
    /** Held by the thread that serves the wire; for ever once it has ended. */
    private final AtomicBoolean turn = new AtomicBoolean();
    private volatile boolean ended;
    /** How often in a row as many packets came as are taken at a time; of who has the turn. */
    private int fullPasses;
    /** Who wants the turn and cannot leave it: nobody sleeps with it meanwhile. */
    private final AtomicInteger wanted = new AtomicInteger();

    Wire(EngineContext context, Carrier carrier, QueuePairs queuePairs) {
        this.context = context;
        this.carrier = carrier;
        isOrdered = carrier.isOrdered();
        this.queuePairs = queuePairs;
        datagram.datagram = true;
        datagram.operation = Operation.SEND;
        datagram.sourceMac = new byte[6];
        datagram.gidType = GidType.PVRDMA_GID_TYPE_FLAG_ROCE_V2;
    }

    /**
     * Takes what has come, and goes on with what had no room or whose time has come. One thread at a time: the others
     * leave it to that one. A fault with one packet is not the end of all others.
     *
     * @return how many packets there were
     */
    int progress() {
        if (!turn.compareAndSet(false, true)) {
            flush();
            return 0;
        }
        return serveInTurn();
    }

    /** Gives the turn back. */
    private int serveInTurn() {
        try {
            final int frames = serve();
            if (inUse == carrier.isLonely()) {
                inUse = !inUse;
            }
            return frames;
        } catch (final RuntimeException | InternalError e) {
            count(e);
            return 0;
        } finally {
            turn.set(false);
        }
    }

    private void count(Throwable fault) {
        context.counters().record(Counter.INTERNAL_ERRORS, "wire: %s", fault);
    }

    /**
     * Takes what has come until now. A queue pair that was reset and is about to be ready again may be told the same
     * numbers as before: what was sent then would be taken for new. No locks of queues are held.
     */
    void takeWhatCame() {
        // As in wakeUp: what the carrier looks at is there for as long.
        wanted.incrementAndGet();
        try {
            if (!ended) {
                // Where nobody else is known nothing comes, and the wire's thread is left asleep.
                takeWhatCame(System.nanoTime() + (carrier.isLonely() ? 0 : FOR_TURN_NANOS));
            }
        } finally {
            wanted.decrementAndGet();
        }
    }

    private void takeWhatCame(long deadline) {
        if (awaitTurn(deadline, false)) {
            seekInTurn();
        }
        int passes = MOST_PASSES;
        while (passes > 0 && awaitTurn(deadline, false)) {
            final boolean hasMore = carrier.hasMore();
            passes = serveInTurn() == 0 && !hasMore ? 0 : passes - 1;
        }
    }

    /** Gives the turn back. */
    private void seekInTurn() {
        try {
            carrier.seek();
        } catch (final RuntimeException | InternalError e) {
            count(e);
        } finally {
            turn.set(false);
        }
    }

    /** Takes the turn, with which nobody sleeps meanwhile; false if it cannot be had in time, or will never be. */
    private boolean awaitTurn(long deadline, boolean ends) {
        wanted.incrementAndGet();
        try {
            while (!turn.compareAndSet(false, true)) {
                if (ended && !ends || System.nanoTime() - deadline >= 0) {
                    return false;
                }
                carrier.wakeUp();
                LockSupport.parkNanos(FOR_ROOM_NANOS);
            }
            return true;
        } finally {
            wanted.decrementAndGet();
        }
    }

    /**
     * Nobody serves the wire any more, or wakes up who does.
     *
     * @param nanos to wait at most for who does
     * @return whether nobody does now: else the carrier is in use
     */
    boolean end(long nanos) {
        ended = true;
        final long deadline = System.nanoTime() + nanos;
        boolean mine = awaitTurn(deadline, true);
        while (mine && wanted.get() > 0) {
            mine = System.nanoTime() - deadline < 0;
            LockSupport.parkNanos(FOR_ROOM_NANOS);
        }
        return mine;
    }

    /** Who polls and finds nothing serves the wire: nobody else's answer can be there sooner. */
    void help() {
        if (inUse) {
            helped = helped + 1;
            progress();
        }
    }

    /**
     * Looks whether the time of something has come. An answer may have come as well, which nobody has looked at: what
     * came is taken first. Who has the turn does so in a moment, and does not sleep meanwhile.
     */
    void serviceTimers() {
        if (!inUse) {
            context.timers().service();
        } else if (context.timers().left() == 0) {
            if (turn.compareAndSet(false, true)) {
                serveInTurn();
            } else {
                wakeUp();
            }
        }
    }

    /** No lock keeps the device from being closed meanwhile: who closes it waits until nobody wants anything. */
    private void wakeUp() {
        wanted.incrementAndGet();
        try {
            if (!ended) {
                carrier.wakeUp();
            }
        } finally {
            wanted.decrementAndGet();
        }
    }

    /** {@return a number that changes when somebody polls and finds nothing} */
    int helped() {
        return helped;
    }

    private int serve() {
        int frames = carrier.poll(this, MAX_FRAMES);
        for (int i = MOST_PASSES; frames == 0 && i > 0 && carrier.hasMore() && context.timers().left() == 0; i--) {
            // No time is over for an answer that lies here.
            frames = carrier.poll(this, MAX_FRAMES);
        }
        if (frames == 0 && carrier.isLonely() && !isBlocked() && context.timers().left() > 0) {
            // What waits is in this JVM, and of those who post and poll there.
            return 0;
        }
        blocked.drainOnce();
        // An answer that is late may be behind those; but nobody keeps the timers waiting for ever by sending.
        fullPasses = frames < MAX_FRAMES ? 0 : fullPasses + 1;
        if (fullPasses % MOST_PASSES == 0) {
            context.timers().service();
        }
        context.drain();
        carrier.flush();
        return frames;
    }

    /** Whether something waits for room. */
    boolean isBlocked() {
        return blocked.hasWork();
    }

    /**
     * Has a queue go on when there may be room again. Locks of queues may be held.
     *
     * @param queue throws nothing.
     * @param moved whether it has just sent something: then it may only have given others their turn.
     */
    void whenThereIsRoom(Runnable queue, boolean moved) {
        if (moved) {
            forRoom = FOR_ROOM_NANOS;
        }
        blocked.add(queue);
        if (Thread.currentThread() != sleeper) {
            carrier.wakeUp();
        }
    }

    /** Nothing that was sent and not acknowledged refers to memory any more. Locks of queues may be held. */
    void withdraw() {
        carrier.withdraw();
    }

    /** Whether each packet arrives at most once, and none before one that was sent earlier. */
    boolean isOrdered() {
        return isOrdered;
    }

    void flush() {
        if (!ended) {
            carrier.flush();
        }
    }

    @Override
    public void onFrame(Frame frame) {
        packet.wrap(frame.address, frame.length);
        final int opcode = frame.length < Bth.LENGTH ? -1 : Bth.opcode(packet, 0);
        if (opcode < 0 || !Opcode.isKnown(opcode) || Bth.version(packet, 0) != 0
            || (Bth.pkey(packet, 0) & PKEY_MASK) != (Bth.DEFAULT_PKEY & PKEY_MASK)) {
            context.counters().increment(Counter.BAD_PACKETS);
            return;
        }
        final int at = Bth.LENGTH + Opcode.extendedLength(opcode);
        final int length = frame.length - at - Bth.padOf(packet, 0);
        final QueuePair qp = length < 0 ? null : queuePairs.byExactQpn(Bth.destQp(packet, 0));
        if (length < 0 || frame.referred != 0 && !mayRefer(opcode, frame.length - frame.referred - at)) {
            context.counters().increment(Counter.BAD_PACKETS);
        } else if (qp == null || qp.isDead() || !context.isUp()
            || qp.isDatagram() != (Opcode.transport(opcode) == Opcode.UD)) {
            context.counters().increment(Counter.NO_PEER);
        } else {
            give(qp, frame, opcode, at, length);
        }
    }

    /** What is longer than a packet may be has its payload elsewhere, all of it. */
    private static boolean mayRefer(int opcode, int carried) {
        return carried == 0 && Opcode.transport(opcode) == Opcode.RC && (Opcode.isSend(opcode)
            || Opcode.isWrite(opcode));
    }

    private void give(QueuePair qp, Frame frame, int opcode, int at, int length) {
        try {
            if (qp.isDatagram()) {
                onDatagram(qp, frame, opcode, at, length);
            } else if (Opcode.transport(opcode) == Opcode.UC || !qp.isConnectedTo(frame)) {
                context.counters().increment(Counter.NO_PEER);
            } else if (Opcode.isResponse(opcode)) {
                qp.requester().onResponse(packet, opcode, at, frame.body + at, length);
            } else {
                qp.responder().onRequest(packet, opcode, frame, at, length);
            }
        } catch (final RuntimeException | InternalError e) {
            qp.requester().abort("packet for", e);
        }
    }

    private void onDatagram(QueuePair qp, Frame frame, int opcode, int at, int length) {
        datagram.sourceGidHigh = frame.sourceGidHigh;
        datagram.sourceGidLow = frame.sourceGidLow;
        datagram.destGidHigh = frame.destGidHigh;
        datagram.destGidLow = frame.destGidLow;
        datagram.trafficClass = frame.trafficClass;
        datagram.flowLabel = frame.flowLabel;
        datagram.hopLimit = frame.hopLimit == 0 ? HOPS : frame.hopLimit;
        datagram.qkey = Deth.qkey(packet, Bth.LENGTH);
        datagram.sourceQpn = Deth.sourceQp(packet, Bth.LENGTH);
        datagram.destQpn = qp.qpn();
        datagram.immediate = Opcode.hasImmediate(opcode);
        datagram.immData = datagram.immediate ? packet.getInt(at - Integer.BYTES, ByteOrder.LITTLE_ENDIAN) : 0;
        datagram.solicited = Bth.isSolicited(packet, 0);
        datagram.host = frame.body + at;
        datagram.length = length;
        qp.responder().receive(datagram);
    }

    /**
     * Waits until something may have come, or its time has, and leaves the wire to nobody else meanwhile.
     *
     * @param nanos at most
     */
    void await(long nanos) {
        if (wanted.get() > 0) {
            LockSupport.parkNanos(FOR_ROOM_NANOS);
            return;
        }
        if (!turn.compareAndSet(false, true)) {
            return;
        }
        try {
            if (sleeper == null) {
                sleeper = Thread.currentThread();
            }
            awaitInTurn(nanos);
        } finally {
            turn.set(false);
        }
    }

    private void awaitInTurn(long nanos) {
        final boolean forRoomToo = isBlocked();
        final long most = Math.min(forRoomToo ? forRoom : nanos, context.timers().left());
        final long begun = System.nanoTime();
        carrier.await(most);
        forRoom = forRoomToo && System.nanoTime() - begun >= most ? Math.min(2 * forRoom, MOST_FOR_ROOM_NANOS)
            : FOR_ROOM_NANOS;
    }

    @Override
    public String toString() {
        return "  wire " + carrier + (isBlocked() ? ", some wait for room" : "") + "\n";
    }
}
