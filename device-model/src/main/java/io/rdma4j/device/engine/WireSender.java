/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.engine;

import io.rdma4j.device.common.Counter;
import io.rdma4j.device.link.Ack;
import io.rdma4j.device.link.Message;
import io.rdma4j.device.memory.DmaList;
import io.rdma4j.device.wire.Lane;
import io.rdma4j.hw.pvrdma.QpState;
import io.rdma4j.hw.pvrdma.RingIndex;
import io.rdma4j.hw.pvrdma.SendFlags;
import io.rdma4j.hw.pvrdma.SqWqe;
import io.rdma4j.hw.pvrdma.WcStatus;
import io.rdma4j.hw.roce.Aeth;
import io.rdma4j.hw.roce.Bth;
import io.rdma4j.hw.roce.Opcode;
import io.rdma4j.hw.roce.Psn;
import io.rdma4j.queues.Padded;

import org.agrona.UnsafeApi;
import org.agrona.concurrent.UnsafeBuffer;

import java.nio.ByteOrder;

/**
 * The requester of a reliable connection over a wire (specification, 9.7). Work requests stay in the driver's ring
 * until they are acknowledged; so a packet that was lost is made once more from the request, and no copy is kept.
 *
 * <pre>
 *   ring:   done            next                begun
 *            v                v                   v
 *        ... | acknowledged? | being sent, packet | not looked at yet ...
 *   PSN:     unacked                          psn of the executor
 * </pre>
 *
 * <p>Responses come in the order of the requests, so one cursor tells what is acknowledged. When a packet is lost,
 * {@code next} goes back to the first that is not acknowledged.
 *
 * <p>Used under the send queue's lock. What a request refers to is looked up anew whenever the lock was given back
 * meanwhile: a region may be gone since.
 */
final class WireSender extends Padded {
    /** Packets on their way at most. What a socket's buffer takes without a loss, of the largest ones. */
    private static final int WINDOW = 64;
    /** The same of packets whose payload stays where it is: they take no room, and whoever waits does so less often. */
    private static final int LONG_WINDOW = 1024;
    /** So many of them go as one at most. */
    private static final int MOST_TOGETHER = 32;
    /** An acknowledgement is asked for at least so often. */
    private static final int ASK_EACH = 16;
    private static final int NOTHING = -1;

    private final EngineContext context;
    private final QueuePair qp;
    private final QpAttributes attributes;
    private final Requester requester;
    private final SendExecutor executor;
    private final WqeQueue queue;
    private final PeerLane lane;
    private final WireRetries retries;
    private final WireRequests requests;
    /** Counts requests, as next and begun. */
    private int done;
    private int next;
    private int begun;
    /** Of the request at next: how many of its packets are sent. */
    private int nextPacket;
    private int unacked;
    /** Behind the last packet that was ever sent. */
    private int sent;
    /** Behind the last packet that the peer may have taken: what it said it has not is not counted. */
    private int reached;
    /** Behind the last packet that was sent once more while nobody knew what became of it. */
    private int twice;
    /** Which request the executor's message and memory are of. */
    private int loaded;
    private boolean isLoaded;
    private int readsBegun;
    /** Of what is under way: the attribute may be changed meanwhile. */
    private int mtuShift;
    private int sinceAsked;
    /** Of the request that is being sent: whether its payload may stay where it is, and how far it may go ahead. */
    private boolean refers;
    private int window = WINDOW;
    private boolean stalled;
    /** Memory of the request that is being sent went away. */
    private boolean lost;
    /** For the first packet of this number a missing response was asked for already. */
    private int asked = NOTHING;
    private long resent;
    /** Requests that may still begin: those that need no answer are over at once, and a driver may go on for ever. */
    private int budget;
    private final Runnable resume;

    WireSender(EngineContext context, QueuePair qp, Requester requester, SendExecutor executor, WqeQueue queue) {
        this.context = context;
        this.qp = qp;
        this.attributes = qp.attributes();
        this.requester = requester;
        this.executor = executor;
        this.queue = queue;
        this.lane = new PeerLane(context, attributes);
        this.retries = new WireRetries(context, attributes, requester);
        this.requests = new WireRequests(queue.count());
        this.resume = this::resume;
    }

    private void resume() {
        stalled = false;
        requester.run();
    }

    /** Whether requests go this way: some are under way, or the peer is reached by packets. */
    boolean isUsed() {
        return isBusy() || lane.isRemote();
    }

    /** Whether requests are under way. */
    boolean isBusy() {
        return begun != done;
    }

    /** When to look again; of {@link Timers#now()}. */
    long deadline() {
        return retries.deadline();
    }

    /** Sends what can be sent. The state is RTS, or SQD, in which nothing begins. */
    void run() {
        isLoaded = false;
        // Who rings a doorbell has not looked whether the answer is there; who asks the timers has.
        if (requester.takeTimeIsUp() && isBusy() && retries.isDue()) {
            timeIsUp();
        }
        goOn();
    }

    private void goOn() {
        // As many as the ring has, as elsewhere: each post comes with a doorbell of its own.
        budget = queue.count();
        try {
            boolean moved = true;
            while (moved) {
                transmit();
                moved = finishFailed() || asksAfterAll();
            }
        } finally {
            if (isBusy()) {
                retries.arm();
            }
        }
        requester.drained();
    }

    private void transmit() {
        while (!retries.waitsForReceive() && room() > 0 && (next != begun || begin())) {
            if (next != begun && (requests.isFailed(next) || !sendPackets())) {
                return;
            }
        }
    }

    /** Packets that may be sent now. A request to read counts as the packets that answer it, and goes if any may. */
    private int room() {
        return window - Psn.ahead(nextPsn(), isBusy() ? unacked : nextPsn());
    }

    private int nextPsn() {
        return next == begun ? executor.psn() : requests.psn(next, nextPacket);
    }

    /** Looks at one more request; false if there is none, or it has to wait. */
    private boolean begin() {
        if (budget == 0 || qp.isDead() || qp.state() != QpState.PVRDMA_QPS_RTS
            || begun - done >= queue.known() && !look()) {
            return false;
        }
        final UnsafeBuffer page = queue.page(begun - done);
        final int at = queue.offset(begun - done);
        final int opcode = SqWqe.opcode(page, at);
        final int flags = SqWqe.sendFlags(page, at);
        if (isBusy() && (WireRequests.isLocal(opcode) || requests.isFailed(begun - 1))
            || readsBegun > 0 && (flags & SendFlags.PVRDMA_SEND_FENCE) != 0
            || readsBegun >= Math.max(1, attributes.maxRdAtomic) && WireRequests.asksForAnswer(opcode)) {
            return false;
        }
        if (!isBusy()) {
            unacked = executor.psn();
            mtuShift = attributes.mtuShift;
            sent = unacked;
            reached = unacked;
            twice = unacked;
            progressed();
        }
        budget--;
        enter(executor.load(page, at, opcode, flags));
        return true;
    }

    /** Looks at the driver's index; whether there is a request behind those that have begun. */
    private boolean look() {
        final int available = queue.available();
        if (available == RingIndex.CORRUPT || available < begun - done) {
            requester.breakDown("corrupt send queue index");
            return false;
        }
        return available > begun - done;
    }

    private boolean isThere(int ahead) {
        return ahead < queue.known();
    }

    private void enter(int status) {
        final int request = begun;
        requests.enter(request, executor.psn(), executor.completedLength(), status, executor.vendorError());
        if (status == Retries.UNDERWAY) {
            loaded = request;
            isLoaded = true;
            executor.psn(Psn.add(executor.psn(), requests.underway(request, executor.message(), mtuShift)));
        }
        if (requests.isAnswered(request)) {
            readsBegun++;
        }
        begun++;
        if (requests.isFailed(request) && done == request) {
            finishFailed();
        }
    }

    /** Sends packets of the request at next; false if it has to stop. */
    private boolean sendPackets() {
        if ((!isLoaded || loaded != next) && !load(next)) {
            return false;
        }
        final Lane way = lane.get();
        if (way == null) {
            // As if they were lost: the timer decides.
            skip(requests.packets(next));
            sinceAsked = 0;
            return true;
        }
        if (requests.carriesData(next)) {
            executor.list().seek((long) nextPacket << mtuShift);
        }
        lost = false;
        final boolean goesOn = sendPackets(way);
        if (lost) {
            // Not under the lane's lock: whoever has the receive queue's may be waiting for that.
            fail(next, WcStatus.PVRDMA_WC_LOC_PROT_ERR, Ack.PAYLOAD_LOST);
        }
        return goesOn;
    }

    private boolean sendPackets(Lane way) {
        way.lock().lock();
        try {
            final int request = next;
            refers = mayRefer(way);
            window = refers ? LONG_WINDOW : WINDOW;
            while (next == request && room() > 0) {
                if (!sendPacket(way)) {
                    return false;
                }
            }
            return true;
        } finally {
            way.lock().unlock();
        }
    }

    /** The request once more, as it stands in the ring: false if it is not the same any more, or cannot be sent. */
    private boolean load(int request) {
        final UnsafeBuffer page = queue.page(request - done);
        final int at = queue.offset(request - done);
        final int status = executor.load(page, at, SqWqe.opcode(page, at), SqWqe.sendFlags(page, at));
        if (status == Retries.UNDERWAY
            && requests.isSame(request, executor.message().operation, executor.completedLength())) {
            loaded = request;
            isLoaded = true;
            return true;
        }
        fail(request, status == Retries.UNDERWAY ? WcStatus.PVRDMA_WC_LOC_QP_OP_ERR : status, executor.vendorError());
        return false;
    }

    /** Under the lane's lock. */
    private boolean sendPacket(Lane way) {
        final Message message = executor.message();
        final boolean data = requests.carriesData(next);
        final int left = requests.packets(next) - nextPacket;
        final long shared = refers && left > 1 ? executor.list().shared() : DmaList.NOT_SHARED;
        final int count = !data ? left : shared == DmaList.NOT_SHARED ? 1
            : Math.min(left, Math.min(room(), MOST_TOGETHER));
        final long from = (long) nextPacket << mtuShift;
        final int length = data ? (int) Math.min((long) count << mtuShift, requests.length(next) - from) : 0;
        final boolean last = count == left;
        final int opcode = RequestHeaders.opcode(message, nextPacket == 0, last);
        final int headers = Bth.LENGTH + Opcode.extendedLength(opcode);
        // What is referred to has no pad: behind it there may be nothing.
        final int carried = shared == DmaList.NOT_SHARED ? length : 0;
        final int padded = carried + Bth.pad(carried);
        final long address = shared == DmaList.NOT_SHARED ? way.claim(headers + padded)
            : way.claimReference(headers, shared, length, count);
        if (address == 0) {
            stall();
            return false;
        }
        final UnsafeBuffer frame = way.frame();
        frame.wrap(address, headers);
        final int unasked = sinceAsked;
        Bth.put(frame, 0, opcode, Bth.flags(last && message.solicited, carried), attributes.destQpn,
            requests.psn(next, nextPacket), asks(last, count) && data);
        RequestHeaders.put(frame, headers, opcode, message, from, (int) (requests.length(next) - from));
        if (shared != DmaList.NOT_SHARED) {
            executor.list().seek(from + length);
        } else if (!putPayload(address + headers, length, padded)) {
            context.counters().record(Counter.MEMORY_LOST, "source of %s", message);
            lost = true;
            sinceAsked = unasked;
            return false;
        }
        way.commit(attributes.trafficClass, attributes.flowLabel, attributes.hopLimit);
        skip(count);
        return true;
    }

    /** What is sent again carries all bytes: then it cannot be withdrawn. */
    private boolean mayRefer(Lane way) {
        if (requests.packets(next) - nextPacket <= 1 || !requests.carriesData(next)
            || Psn.ahead(nextPsn(), sent) < 0) {
            return false;
        }
        final long shared = executor.list().shared();
        return shared != DmaList.NOT_SHARED
            && way.takesReferences(shared + requests.length(next) - ((long) nextPacket << mtuShift));
    }

    private boolean putPayload(long address, int length, int padded) {
        if (length == 0) {
            return true;
        }
        UnsafeApi.putInt(address + padded - Integer.BYTES, 0);
        return executor.list().get(address, length);
    }

    private void skip(int count) {
        nextPacket += count;
        if (nextPacket >= requests.packets(next)) {
            next++;
            nextPacket = 0;
        }
        final int psn = nextPsn();
        if (Psn.ahead(psn, sent) > 0) {
            sent = psn;
        }
        if (Psn.ahead(psn, reached) > 0) {
            reached = psn;
        }
    }

    /** At the end of what there is, and now and then before. */
    private boolean asks(boolean last, int count) {
        sinceAsked += count;
        if (sinceAsked >= ASK_EACH || room() <= count || last && !follows(next + 1)) {
            sinceAsked = 0;
            return true;
        }
        return false;
    }

    /**
     * The last packet did not ask for an acknowledgement, as it was not to be the last; but what follows has failed, or
     * does not begin any more. Whether it is sent once more, to ask. An answer that is still to come says as much.
     */
    private boolean asksAfterAll() {
        if (sinceAsked == 0 || !isBusy() || readsBegun > 0
            || (next == begun ? qp.state() != QpState.PVRDMA_QPS_SQD : next == done || !requests.isFailed(next))) {
            return false;
        }
        sendTwice();
        return true;
    }

    /** Whether a request will be sent without waiting for those before it. */
    private boolean follows(int request) {
        if (request - begun < 0) {
            return !requests.isFailed(request);
        }
        final int ahead = request - done;
        return qp.state() == QpState.PVRDMA_QPS_RTS && isThere(ahead)
            && !WireRequests.isLocal(SqWqe.opcode(queue.page(ahead), queue.offset(ahead)));
    }

    private void stall() {
        if (!stalled) {
            stalled = true;
            context.wire().whenThereIsRoom(resume, false);
        }
    }

    /** What the peer says. */
    void onResponse(UnsafeBuffer packet, int opcode, int at, long payload, int length) {
        final int psn = Bth.psn(packet, 0);
        isLoaded = false;
        if (!isBusy() || Psn.ahead(psn, unacked) < 0 || Psn.ahead(psn, sent) >= 0) {
            context.counters().increment(Counter.RESENT_PACKETS);
            return;
        }
        if (opcode == Opcode.ACKNOWLEDGE) {
            acknowledged(psn, Aeth.syndrome(packet, Bth.LENGTH));
        } else {
            answered(packet, opcode, psn, payload, length);
        }
        goOn();
    }

    private void acknowledged(int psn, int syndrome) {
        if (Aeth.isAck(syndrome)) {
            advance(Psn.add(psn, 1));
            askForMissing(Psn.add(psn, 1));
        } else if (advance(psn)) {
            if (unacked == psn) {
                refused(syndrome);
            } else {
                askForMissing(psn);
            }
        }
    }

    /** A request whose answer is missing, though the peer is past it: the answer was lost. */
    private void askForMissing(int until) {
        if (isBusy() && Psn.ahead(until, unacked) > 0 && asked != unacked) {
            asked = unacked;
            sendTwice();
        }
    }

    private void refused(int syndrome) {
        if (Aeth.isRnr(syndrome)) {
            noReceive(Aeth.value(syndrome));
            return;
        }
        switch (syndrome) {
            case Aeth.NAK_SEQUENCE:
                if (!retries.waitsForReceive() && asked != unacked) {
                    asked = unacked;
                    notTaken();
                    goBack();
                }
                break;
            case Aeth.NAK_INVALID_REQUEST:
                fail(done, WcStatus.PVRDMA_WC_REM_INV_REQ_ERR, Ack.NAK_INVALID_REQUEST);
                break;
            case Aeth.NAK_REMOTE_ACCESS:
                fail(done, WcStatus.PVRDMA_WC_REM_ACCESS_ERR, Ack.NAK_REMOTE_ACCESS);
                break;
            case Aeth.NAK_REMOTE_OPERATION:
                fail(done, WcStatus.PVRDMA_WC_REM_OP_ERR, Ack.NAK_REMOTE_OPERATION);
                break;
            default:
                context.counters().increment(Counter.BAD_PACKETS);
        }
    }

    private void noReceive(int timer) {
        if (retries.waitsForReceive()) {
            return;
        }
        if (!retries.waitForReceive(timer)) {
            fail(done, WcStatus.PVRDMA_WC_RNR_RETRY_EXC_ERR, Ack.RNR_NAK);
            return;
        }
        notTaken();
        goBack();
    }

    /**
     * The peer has said so of all that is not acknowledged; a word of packets that were sent twice may be old. What was
     * overtaken, or is repeated on its way, it may take after it said so.
     */
    private void notTaken() {
        if (context.wire().isOrdered() && Psn.ahead(unacked, twice) >= 0) {
            reached = unacked;
        }
    }

    /**
     * All packets before this one have arrived, but answers to come. False if the connection is lost meanwhile.
     */
    private boolean advance(int until) {
        boolean moved = false;
        while (isBusy()) {
            final int end = requests.end(done);
            if (!requests.carriesData(done) || Psn.ahead(until, end) < 0) {
                if (requests.carriesData(done) && Psn.ahead(until, unacked) > 0) {
                    unacked = until;
                    moved = true;
                }
                break;
            }
            unacked = end;
            moved = true;
            if (!finish(WcStatus.PVRDMA_WC_SUCCESS, 0)) {
                return false;
            }
        }
        if (moved) {
            progressed();
        }
        return true;
    }

    private void progressed() {
        if (Psn.ahead(unacked, reached) > 0) {
            reached = unacked;
        }
        if (Psn.ahead(unacked, twice) > 0) {
            // Numbers come round: left behind it would lie ahead some day.
            twice = unacked;
        }
        asked = NOTHING;
        retries.anew();
    }

    /** A packet that answers a READ or an atomic. */
    private void answered(UnsafeBuffer packet, int opcode, int psn, long payload, int length) {
        if (!advance(psn) || !isBusy()) {
            return;
        }
        if (!requests.isAnswered(done) || psn != unacked) {
            askForMissing(psn);
            return;
        }
        final boolean fits = requests.isAtomic(done) ? opcode == Opcode.ATOMIC_ACKNOWLEDGE
            : fits(opcode, requests.packet(done, psn), length);
        if (!fits) {
            // The specification lets the requester close: a peer that answers so keeps no rule.
            context.counters().increment(Counter.BAD_PACKETS);
            fail(done, WcStatus.PVRDMA_WC_BAD_RESP_ERR, Ack.NO_RESPONSE);
        } else if (load(done)) {
            take(packet, psn, payload, length);
        }
    }

    /** An answer that was asked for from the middle begins there. */
    private boolean fits(int opcode, int index, int length) {
        final boolean last = index == requests.packets(done) - 1;
        final long from = (long) index << mtuShift;
        return opcode != Opcode.ATOMIC_ACKNOWLEDGE && opcode != Opcode.ACKNOWLEDGE
            && length == (last ? requests.length(done) - from : 1 << mtuShift) && last == Opcode.ends(opcode);
    }

    private void take(UnsafeBuffer packet, int psn, long payload, int length) {
        final DmaList list = executor.list();
        boolean stored = true;
        if (requests.isAtomic(done)) {
            stored = executor.putResult(packet.getLong(Bth.LENGTH + Aeth.LENGTH, ByteOrder.BIG_ENDIAN));
        } else if (length > 0) {
            list.seek((long) requests.packet(done, psn) << mtuShift);
            stored = list.put(payload, length);
        }
        if (!stored) {
            context.counters().record(Counter.MEMORY_LOST, "destination of %s", executor.message());
            fail(done, WcStatus.PVRDMA_WC_LOC_PROT_ERR, Ack.PAYLOAD_LOST);
            return;
        }
        unacked = Psn.add(psn, 1);
        progressed();
        if (unacked == requests.end(done)) {
            finish(executor.afterAnswer(queue.page(), queue.offset()), 0);
        }
    }

    private void timeIsUp() {
        if (retries.waitsForReceive()) {
            retries.endWait();
        } else if (retries.tryAgain()) {
            asked = NOTHING;
            sendTwice();
        } else {
            fail(done, WcStatus.PVRDMA_WC_RETRY_EXC_ERR, Ack.NO_RESPONSE);
        }
    }

    /** Of what was sent before, some may still arrive. */
    private void sendTwice() {
        twice = sent;
        goBack();
    }

    /** Sends again from the first packet that is not acknowledged. */
    private void goBack() {
        next = done;
        nextPacket = requests.isFailed(done) ? 0 : requests.packet(done, unacked);
        isLoaded = false;
        sinceAsked = ASK_EACH;
        resent++;
    }

    /** The request will complete so when those before it have. */
    private void fail(int request, int status, int vendorError) {
        if (requests.isAnswered(request)) {
            readsBegun--;
        }
        requests.fail(request, status, vendorError);
        next = request;
        nextPacket = 0;
        finishFailed();
    }

    /** Completes a request at the head that has failed, or that needed no packets; false if it is none. */
    private boolean finishFailed() {
        return isBusy() && requests.isFailed(done) && finish(requests.status(done), requests.vendorError(done));
    }

    /** The request at the head is over; false if the connection is. */
    private boolean finish(int status, int vendorError) {
        if (requests.isAnswered(done)) {
            readsBegun--;
        }
        final int length = requests.length(done);
        done++;
        if (next - done < 0) {
            next = done;
            nextPacket = 0;
        }
        if (status != WcStatus.PVRDMA_WC_SUCCESS) {
            // What has begun behind it goes back to the queue. Who begins the connection anew asks for this number.
            executor.psn(reached);
            // Whoever sees the completion has its memory again, though the peer may not have read what was sent.
            context.wire().withdraw();
        }
        return requester.over(status, vendorError, length);
    }

    /** Nothing is under way any more. */
    void forget() {
        if (isBusy()) {
            context.wire().withdraw();
        }
        done = begun;
        next = begun;
        nextPacket = 0;
        isLoaded = false;
        readsBegun = 0;
        sinceAsked = 0;
        asked = NOTHING;
        retries.forget();
        lane.forget();
    }

    @Override
    public String toString() {
        return !isBusy() ? "" : " over the wire: " + (begun - done) + " under way, not acknowledged from psn " + unacked
            + " of " + executor.psn() + ", sent again " + resent + " times"
            + (stalled ? ", waits for room" : "") + retries;
    }
}
