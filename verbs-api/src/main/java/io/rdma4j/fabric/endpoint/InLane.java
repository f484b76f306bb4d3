/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.endpoint;

import io.rdma4j.RdmaException;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.OperationKind;
import io.rdma4j.fabric.region.EndpointHost;
import io.rdma4j.fabric.region.Realm;
import io.rdma4j.verbs.Completion;
import io.rdma4j.verbs.CompletionHandler;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.QpAttributes;
import io.rdma4j.verbs.QpOptions;
import io.rdma4j.verbs.QpState;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.ReceiveRequest;
import io.rdma4j.verbs.ReturnCode;
import io.rdma4j.verbs.WcOpcode;
import io.rdma4j.verbs.WcStatus;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

import org.agrona.BitUtil;

/**
 * Where the peer's RMA comes in. It only answers; its receives are the library's own, for the data of writes.
 *
 * <p>When it refuses an access it fails, and has to be mended although the application may not call anything for long.
 * So the device's event thread does that, and the queue pair, with a completion queue of its own, belongs to whoever
 * {@link #busy holds it}: the thread which reads the endpoint's completion queue tries, and goes on without if the
 * event thread is at it. What has arrived goes through a ring from the one that holds it to the reader.
 */
final class InLane {
    private static final int BATCH = 64;
    private static final long LONGEST_HOLD_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final long PAUSE_NANOS = TimeUnit.MICROSECONDS.toNanos(50);
    private static final int MOST_TRIES = 16;

    private final FabricEndpoint endpoint;
    private final CompletionQueue cq;
    private final QueuePair qp;
    private final int receives;
    private final ReceiveRequest empty = new ReceiveRequest(0);
    private final CompletionHandler note = this::note;
    /** Taken by compareAndSet, given back by a release store which the next taker meets. */
    private final AtomicBoolean busy = new AtomicBoolean();
    private final int[] data;
    private final int[] lengths;
    private final int mask;
    /** Arrivals that were taken; stored with release by the reader, for {@link #refill}. */
    private final AtomicLong head = new AtomicLong();
    /** Arrivals; stored with release by the holder, for {@link #take}. */
    private final AtomicLong tail = new AtomicLong();

    // For the holder.
    private int posted;
    private boolean hasFailed;
    private boolean connected;
    private PeerName peer;
    private int epoch;
    private EndpointHost.Subscription subscription;
    /** The reader found it held; volatile, stored before the reader's second try and looked at after giving it back. */
    private volatile boolean missed;
    private volatile boolean closed;
    private volatile boolean lost;
    private volatile long mended;

    InLane(final FabricEndpoint endpoint, final Realm realm, final int receives) {
        this.endpoint = endpoint;
        this.receives = receives;
        final int size = BitUtil.findNextPositivePowerOfTwo(receives);
        this.data = new int[size];
        this.lengths = new int[size];
        this.mask = size - 1;
        this.cq = realm.pd().context().createCq(2 * (size + 1));
        try {
            this.qp = realm.pd().createQp(new QpOptions().cq(cq).maxSendWr(1).maxReceiveWr(receives));
        } catch (final RdmaException e) {
            cq.close();
            throw e;
        }
        try {
            LaneSteps.init(qp, true);
            refill();
        } catch (final RdmaException e) {
            qp.close();
            cq.close();
            throw e;
        }
    }

    int qpNumber() {
        return qp.qpNumber();
    }

    /** Whether somebody will tell when it failed. */
    boolean listen(final EndpointHost host) {
        subscription = host.onAccessError(qp, this::onFailure);
        return subscription != null;
    }

    void connect(final PeerName to) {
        hold();
        try {
            peer = to;
            bringUp();
            connected = true;
        } finally {
            letGo();
        }
    }

    private void bringUp() {
        LaneSteps.answer(qp, peer.gid(), peer.outQpn(), LaneSteps.psn(peer.outPsn(), epoch));
    }

    private void hold() {
        if (!holdInTime()) {
            throw Failures.of("use endpoint", FiErrno.FI_EBUSY, "%s is held by another thread for 10 s", this).build();
        }
    }

    private boolean holdInTime() {
        final long deadline = System.nanoTime() + LONGEST_HOLD_NANOS;
        while (!busy.compareAndSet(false, true)) {
            if (Deadline.isOver(deadline)) {
                return false;
            }
            LockSupport.parkNanos(PAUSE_NANOS);
        }
        return true;
    }

    /** Gives it back; and does what the reader wanted to do meanwhile, who may not come again for long. */
    private void letGo() {
        // Released for whoever takes it next.
        busy.set(false);
        while (missed && busy.compareAndSet(false, true)) {
            missed = false;
            refill();
            busy.set(false);
        }
    }

    /** Reader: whether it has it; if not, the one that has it sees that it was wanted. */
    private boolean tryHold() {
        if (busy.compareAndSet(false, true)) {
            return true;
        }
        missed = true;
        return busy.compareAndSet(false, true);
    }

    /** Reader: notes what arrived, and posts receives anew. */
    void gather() {
        if (!tryHold()) {
            return;
        }
        try {
            if (!closed) {
                cq.poll(note, BATCH);
                refill();
                mendIfFailed();
            }
        } finally {
            letGo();
        }
    }

    /** A failure that the event thread may not have been told of. */
    private void mendIfFailed() {
        if (hasFailed && connected && !lost) {
            mendIfBroken();
        }
    }

    private int unread() {
        return (int) (tail.get() - head.get());
    }

    private void note(final Completion completion) {
        posted--;
        final WcStatus status = completion.status();
        if (status != WcStatus.SUCCESS) {
            hasFailed = true;
        } else if (completion.opcode() == WcOpcode.RECV_RDMA_WITH_IMM) {
            final long next = tail.get();
            data[(int) next & mask] = completion.immData();
            lengths[(int) next & mask] = completion.byteLength();
            tail.setRelease(next + 1);
        }
    }

    /** Each arrival that was not taken keeps a receive back: so the ring cannot overflow, and the peer waits. */
    private void refill() {
        int missing = receives - posted - unread();
        while (missing > 0 && qp.postReceive(empty) == ReturnCode.OK) {
            posted++;
            missing--;
        }
    }

    /** Reader: takes the next arrival; false if there is none. */
    boolean take(final Entry into) {
        final long next = head.get();
        if (next == tail.getAcquire()) {
            return false;
        }
        into.set(endpoint, OperationKind.REMOTE_WRITE, 0, lengths[(int) next & mask]);
        into.data(data[(int) next & mask]);
        head.setRelease(next + 1);
        return true;
    }

    /** The device's event thread: the queue pair may have failed. */
    private void onFailure() {
        hold();
        try {
            if (!closed && connected && !lost) {
                mendIfBroken();
            }
        } finally {
            letGo();
        }
    }

    /** The peer's end counts its epoch, too, as it sees the refusal of the access: no words are needed. */
    private void mendIfBroken() {
        try {
            if (qp.query().state() == QpState.ERR) {
                mend();
            }
            hasFailed = false;
        } catch (final RdmaException e) {
            lost = true;
            endpoint.lost("its lane inwards: " + e.getMessage());
        }
    }

    private void mend() {
        drain();
        qp.modify(QpAttributes.to(QpState.RESET));
        posted = 0;
        epoch++;
        init();
        refill();
        bringUp();
        mended = mended + 1;
    }

    /** Nothing is accepted any more; what was is all in the completion queue. */
    private void stop() {
        try {
            qp.modify(QpAttributes.to(QpState.ERR));
        } catch (final RdmaException e) {
            // The device is gone: nothing comes either way.
            lost = true;
        }
    }

    /** Nothing that arrived before is lost by the reset. */
    private void drain() {
        for (int i = 0; i <= receives && cq.poll(note, BATCH) > 0; i++) {
            Thread.onSpinWait();
        }
    }

    private void init() {
        for (int i = 1; true; i++) {
            try {
                LaneSteps.init(qp, true);
                return;
            } catch (final RdmaException e) {
                if (e.errno() != RdmaException.EBUSY || i == MOST_TRIES) {
                    throw e;
                }
                cq.poll(note, BATCH);
            }
        }
    }

    /** How often it came up again. */
    long mended() {
        return mended;
    }

    void close() {
        closed = true;
        // Closed all the same: who holds it will find a queue pair that is closed.
        if (holdInTime()) {
            try {
                stop();
                drain();
            } finally {
                // Given back before the queue pair is closed, which waits for the event thread.
                busy.set(false);
            }
        }
        if (subscription != null) {
            subscription.close();
        }
        qp.close();
        cq.close();
    }

    @Override
    public String toString() {
        return "lane inwards " + qp + ", epoch " + epoch + (lost ? ", lost" : "") + (closed ? ", closed" : "");
    }
}
