/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.engine;

import io.rdma4j.device.common.Counter;
import io.rdma4j.device.common.Quirk;
import io.rdma4j.device.link.Ack;
import io.rdma4j.device.link.Destination;
import io.rdma4j.device.link.Message;
import io.rdma4j.device.link.Port;
import io.rdma4j.hw.pvrdma.EventType;
import io.rdma4j.hw.pvrdma.QpState;
import io.rdma4j.hw.pvrdma.Uar;

import java.lang.invoke.VarHandle;

/**
 * The engine of one device: its tables, its doorbells, and its end of the link. Doorbells come from any thread;
 * commands from one at a time.
 */
public final class Engine implements Port {
    private static final long PAGE_OF_DRIVER = 0;

    /** Who waits for an interrupt serves the wire so often, if no thread of its own does. */
    private static final long POLLED_NANOS = 1_000_000;

    private volatile boolean portDown;

    private final EngineContext context;
    private final Protection protection;
    private final QueueFactory queues;
    private final QueuePairs queuePairs;
    /** Null if there is none. */
    private final Wire wire;
    private final boolean polled;

    /**
     * An engine without objects.
     *
     * @param parts what it is built on.
     */
    public Engine(EngineEnvironment parts) {
        context = new EngineContext(parts, this, this::quiesce, this::abortUsers);
        protection = new Protection(context);
        queues = new QueueFactory(context, protection);
        queuePairs = new QueuePairs(context, protection, queues);
        wire = parts.carrier() == null ? null : new Wire(context, parts.carrier(), queuePairs);
        context.wire(wire);
        polled = wire != null && parts.polled();
    }

    /**
     * {@return protection domains, user contexts and regions}
     */
    public Protection protection() {
        return protection;
    }

    /**
     * {@return completion queues and shared receive queues}
     */
    public QueueFactory queues() {
        return queues;
    }

    /**
     * {@return queue pairs}
     */
    public QueuePairs queuePairs() {
        return queuePairs;
    }

    /**
     * {@return the device's addresses}
     */
    public GidTable gids() {
        return context.gids();
    }

    @Override
    public int deliver(Message message) {
        final QueuePair qp = queuePairs.byQpn(message.destQpn);
        if (qp == null) {
            context.counters().increment(Counter.NO_PEER);
            return Ack.NO_RESPONSE;
        }
        return qp.responder().receive(message);
    }

    @Override
    public Destination find(int qpn) {
        final QueuePair qp = queuePairs.byQpn(qpn);
        return qp == null ? null : qp.responder();
    }

    @Override
    public boolean isUp() {
        return !portDown;
    }

    /**
     * Takes the port down or up, with the event that tells. While it is down nothing leaves the device and nothing
     * reaches it, what it sends to itself included; connections try again as often as they may.
     *
     * @param up whether it is to be up.
     */
    public void port(boolean up) {
        if (up == portDown) {
            portDown = !up;
            context.link().reroute();
            quiesce();
            context.events().async(up ? EventType.PVRDMA_EVENT_PORT_ACTIVE : EventType.PVRDMA_EVENT_PORT_ERR, 1);
            context.link().changed();
            context.agenda().drain();
        }
    }

    private void abortUsers(CompletionQueue cq) {
        queuePairs.forEach(qp -> {
            if (qp.shape().sendCq() == cq || qp.shape().recvCq() == cq) {
                qp.requester().abort();
            }
        });
    }

    /**
     * A QP doorbell: executes sends, and lets senders know of new receives.
     *
     * @param page of the doorbell BAR.
     * @param word what was written.
     */
    public void ringQp(long page, int word) {
        final QueuePair qp = queuePairs.byHandle(Uar.handle(word));
        if (qp == null || page != PAGE_OF_DRIVER && !protection.owns(page, qp.shape().pd().context())) {
            badDoorbell("qp", page, word);
            return;
        }
        if ((word & Uar.QP_RECV) != 0) {
            received(qp, word);
        }
        if ((word & Uar.QP_SEND) != 0) {
            qp.requester().run();
        }
        afterDoorbell();
    }

    private void received(QueuePair qp, int word) {
        if (qp.shape().srq() != null) {
            context.counters().increment(Counter.WOULD_HANG_QEMU);
            badDoorbell("receive doorbell of a qp with an srq", 0, word);
            return;
        }
        final ReceiveQueue receives = qp.receives();
        receives.fetch();
        VarHandle.fullFence();
        if (qp.state() == QpState.PVRDMA_QPS_ERR) {
            qp.responder().flushAfterFailure();
        } else if (receives.hasWaiting()) {
            receives.resumeWaiting(false);
        }
    }

    /**
     * A CQ doorbell: arms the queue, or is taken as an occasion to look at the timers.
     *
     * @param page of the doorbell BAR.
     * @param word what was written.
     */
    public void ringCq(long page, int word) {
        final CompletionQueue cq = queues.cq(Uar.handle(word));
        if (cq == null || page != PAGE_OF_DRIVER && !protection.owns(page, cq.context())) {
            badDoorbell("cq", page, word);
            return;
        }
        if ((word & (Uar.CQ_ARM | Uar.CQ_ARM_SOL)) != 0) {
            cq.arm(word);
        }
        afterDoorbell();
        if (wire != null && !polled) {
            wire.help();
        }
    }

    /**
     * An SRQ doorbell: lets senders know of new receives.
     *
     * @param page of the doorbell BAR.
     * @param word what was written.
     */
    public void ringSrq(long page, int word) {
        final SharedReceiveQueue srq = queues.srq(Uar.handle(word));
        if (srq == null || page != PAGE_OF_DRIVER && !protection.owns(page, srq.pd().context())) {
            badDoorbell("srq", page, word);
            return;
        }
        srq.receives().fetch();
        VarHandle.fullFence();
        if (srq.receives().hasWaiting()) {
            srq.receives().resumeWaiting(false);
        }
        afterDoorbell();
    }

    private void badDoorbell(String what, long page, int word) {
        context.counters().record(Counter.BAD_DOORBELLS, "%s doorbell 0x%x on page %d", what, word, page);
    }

    private void afterDoorbell() {
        if (wire == null) {
            context.timers().service();
        } else if (!polled) {
            wire.serviceTimers();
        }
        context.drain();
        if (polled) {
            // Takes what came, then looks at the timers.
            wire.progress();
        } else if (wire != null) {
            wire.flush();
        }
    }

    /**
     * Takes what has come over the wire, and goes on with what waits. For a device with a wire, by a thread that holds
     * no lock. While another one is at it, there is nothing to do.
     *
     * @return how many packets there were
     */
    public int progress() {
        return wire.progress();
    }

    /**
     * {@return a number that changes when who polls serves the wire}
     */
    public int helped() {
        return wire.helped();
    }

    /**
     * The wire is not served any more.
     *
     * @param nanos to wait at most for who serves it
     * @return whether nobody does now
     */
    public boolean endProgress(long nanos) {
        return wire.end(nanos);
    }

    /**
     * Waits until there may be something to do, or the time is over. Called by the thread that calls
     * {@link #progress}.
     *
     * @param nanos at most
     */
    public void await(long nanos) {
        wire.await(nanos);
    }

    /**
     * Does what waits for a time or for a thread without locks. For whoever waits for the device.
     *
     * @return nanoseconds until there is something to do again, 0 if there is more already, {@link Long#MAX_VALUE} if
     *         nothing waits.
     */
    public long service() {
        context.goOn();
        afterDoorbell();
        if (context.isBehind()) {
            return 0;
        }
        final long left = context.timers().left();
        return polled ? Math.min(left, POLLED_NANOS) : left;
    }

    /**
     * Has the clock of the device go ahead, by which sends wait for answers and receives.
     *
     * @param nanos how much time is to have passed.
     */
    public void passTime(long nanos) {
        context.timers().pass(nanos);
    }

    /**
     * Waits until everything that was begun is over: passes through the lock of each queue. Called without a lock held.
     * What is marked as ended before is not begun again afterwards, nor does what peers still read of it count.
     */
    public void quiesce() {
        queuePairs.forEach(qp -> {
            qp.requester().lock().pass();
            qp.receives().lock().pass();
        });
        queues.quiesce();
        if (wire != null) {
            wire.withdraw();
        }
    }

    /** Destroys everything. */
    public void reset() {
        if (context.has(Quirk.WEAK_RESET)) {
            return;
        }
        queuePairs.reset();
        queues.reset();
        protection.reset();
        context.gids().clear();
        context.timers().clear();
    }

    /** Destroys everything, whatever the quirks: the function goes away. */
    public void close() {
        queuePairs.reset();
        queues.reset();
        protection.reset();
        context.gids().clear();
        context.timers().clear();
    }

    /**
     * {@return all objects and rings, for a person}
     */
    public String describe() {
        return protection.describe() + queues.describe() + queuePairs.describe() + context.gids()
            + (wire == null ? "" : wire)
            + context.timers() + (portDown ? "  port down\n" : "");
    }
}
