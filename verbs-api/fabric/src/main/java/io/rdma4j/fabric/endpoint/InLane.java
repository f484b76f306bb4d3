/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.endpoint;

import io.rdma4j.RdmaException;
import io.rdma4j.base.Undo;
import io.rdma4j.fabric.OperationKind;
import io.rdma4j.fabric.completion.ArrivalRing;
import io.rdma4j.fabric.completion.RmaArrivals;
import io.rdma4j.fabric.completion.FabricCompletionQueue;
import io.rdma4j.fabric.completion.InwardLane;
import io.rdma4j.fabric.completion.WorkId;
import io.rdma4j.fabric.event.EndpointCounters;
import io.rdma4j.fabric.region.EndpointHost;
import io.rdma4j.verbs.Completion;
import io.rdma4j.verbs.QpAttributes;
import io.rdma4j.verbs.QpOptions;
import io.rdma4j.verbs.QpState;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.ReceiveRequest;
import io.rdma4j.verbs.ReturnCode;
import io.rdma4j.verbs.WcOpcode;
import io.rdma4j.verbs.WcStatus;

import org.agrona.BitUtil;

/**
 * Where the peer's RMA comes in. It only answers; its receives are the library's own, for the data of writes.
 *
 * <p>When it refuses an access it fails, and has to be mended although the application may not call anything for long.
 * So the device's event thread does that: the queue pair belongs to the thread that {@linkplain RmaArrivals#hold holds}
 * the lanes inwards of its completion queue.
 */
final class InLane implements InwardLane {
    private static final int MOST_TRIES = 16;

    private final RcLink link;
    private final FabricCompletionQueue queue;
    private final RmaArrivals arrivals;
    private final ArrivalRing ring;
    private final EndpointCounters counters;
    private final QueuePair qp;
    private final int receives;
    private final int room;
    private final ReceiveRequest empty = new ReceiveRequest(0);

    // For the holder.
    private int posted;
    private boolean hasFailed;
    private boolean connected;
    private PeerName peer;
    private int epoch;
    private EndpointHost.Subscription subscription;
    private volatile boolean closed;
    private volatile boolean lost;
    private volatile long mended;

    InLane(final RcLink link, final EndpointCounters counters, final long context) {
        this.link = link;
        this.queue = link.receive();
        this.counters = counters;
        this.receives = link.sizes().receive();
        // Queue pairs round up; one send, which is never posted.
        this.room = BitUtil.findNextPositivePowerOfTwo(receives) + 1;
        this.arrivals = queue.arrivals(room);
        this.ring = new ArrivalRing(arrivals, link.endpoint(), context, this, receives);
        arrivals.reserve(room);
        try (Undo undo = new Undo()) {
            undo.addIfGood(this::leave);
            qp = link.realm().pd()
                .createQp(new QpOptions().cq(arrivals.cq()).maxSendWr(1).maxReceiveWr(receives));
            undo.add(qp::close);
            LaneSteps.init(qp, true);
            begin();
            undo.forget();
        }
    }

    private void begin() {
        empty.wrId(WorkId.of(arrivals.attach(this), 0));
        arrivals.hold();
        try {
            refill();
        } finally {
            arrivals.letGo();
        }
    }

    /** Only once the queue pair is closed may another lane get the number: nothing carries it any more. */
    private void leave() {
        arrivals.detach(this);
        arrivals.giveBack(room);
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
        arrivals.hold();
        try {
            peer = to;
            bringUp();
            connected = true;
        } finally {
            arrivals.letGo();
        }
    }

    private void bringUp() {
        LaneSteps.answer(qp, peer.gid(), peer.outQpn(), LaneSteps.psn(peer.outPsn(), epoch));
    }

    @Override
    public boolean arrived(final Completion completion) {
        posted--;
        final WcStatus status = completion.status();
        if (status != WcStatus.SUCCESS) {
            hasFailed = true;
        } else if (completion.opcode() == WcOpcode.RECV_RDMA_WITH_IMM) {
            counters.success(OperationKind.REMOTE_WRITE);
            ring.put(completion.immData(), completion.byteLength());
        }
        return hasFailed;
    }

    /** Each arrival that was not taken keeps a receive back: so the ring cannot overflow, and the peer waits. */
    @Override
    public void refill() {
        int missing = receives - posted - ring.unread();
        while (missing > 0 && qp.postReceive(empty) == ReturnCode.OK) {
            posted++;
            missing--;
        }
    }

    /** A failure that the event thread may not have been told of. */
    @Override
    public void mendIfFailed() {
        if (hasFailed && !closed && connected && !lost) {
            mendIfBroken();
        }
    }

    /** The device's event thread: the queue pair may have failed. */
    private void onFailure() {
        arrivals.hold();
        try {
            if (!closed && connected && !lost) {
                mendIfBroken();
            }
        } finally {
            arrivals.letGo();
        }
        // What was noted on the way is to be read.
        queue.wake();
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
            link.lost("its lane inwards: " + e.getMessage());
        }
    }

    private void mend() {
        // Nothing that arrived before is lost by the reset.
        arrivals.drain();
        qp.modify(QpAttributes.to(QpState.RESET));
        posted = 0;
        epoch++;
        init();
        refill();
        bringUp();
        if (lost) {
            // The connection ended in between, when the queue pair could not be told.
            LaneSteps.fail(qp);
        }
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

    private void init() {
        for (int i = 1; true; i++) {
            try {
                LaneSteps.init(qp, true);
                return;
            } catch (final RdmaException e) {
                if (e.errno() != RdmaException.EBUSY || i == MOST_TRIES) {
                    throw e;
                }
                arrivals.drainSome();
            }
        }
    }

    /** How often it came up again. */
    long mended() {
        return mended;
    }

    /** The connection is over: it is not mended any more. From any thread. */
    void end() {
        lost = true;
        LaneSteps.fail(qp);
    }

    void close() {
        closed = true;
        // Closed all the same: who holds it will find a queue pair that is closed.
        if (arrivals.holdInTime()) {
            try {
                stop();
                arrivals.drain();
            } finally {
                // Given back before the queue pair is closed, which waits for the event thread.
                arrivals.letGo();
            }
        }
        if (subscription != null) {
            subscription.close();
        }
        qp.close();
        leave();
    }

    @Override
    public String toString() {
        return "lane inwards " + qp + ", epoch " + epoch + (lost ? ", lost" : "") + (closed ? ", closed" : "");
    }
}
