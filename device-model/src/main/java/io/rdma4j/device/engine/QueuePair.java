/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.engine;

import io.rdma4j.device.common.Counter;
import io.rdma4j.device.wire.Frame;
import io.rdma4j.hw.pvrdma.QpState;
import io.rdma4j.hw.pvrdma.QpType;
import io.rdma4j.queues.Padded;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicInteger;

/** A queue pair: its send side, its receive side, and the state that both obey. */
final class QueuePair extends Padded {
    private static final VarHandle STATE;

    static {
        try {
            STATE = MethodHandles.lookup().findVarHandle(QueuePair.class, "state", int.class);
        } catch (final ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final EngineContext context;
    private final QpShape shape;
    private final int handle;
    private final int qpn;
    private final QpAttributes attributes = new QpAttributes();
    private final Requester requester;
    private final Responder responder;
    private final ReceiveQueue receives;
    private volatile int state = QpState.PVRDMA_QPS_RESET;
    private volatile boolean dead;
    /** Told under either lock of it. */
    private final AtomicInteger events = new AtomicInteger();
    /** What QUERY_QP answers where the device only remembers a state that it does not act on; -1 for none. */
    private int remembered = -1;

    QueuePair(EngineContext context, int handle, int qpn, QpShape shape, WqeQueue sends, ReceiveQueue receives) {
        this.context = context;
        this.shape = shape;
        this.handle = handle;
        this.qpn = qpn;
        this.receives = receives;
        this.requester = new Requester(context, this, sends);
        this.responder = new Responder(context, this, receives);
    }

    int handle() {
        return handle;
    }

    int qpn() {
        return qpn;
    }

    QpShape shape() {
        return shape;
    }

    boolean isDatagram() {
        return shape.type() == QpType.PVRDMA_QPT_UD || isManagement();
    }

    /** Whether it is the port's for general services, by which connection managers talk. */
    boolean isManagement() {
        return shape.type() == QpType.PVRDMA_QPT_GSI;
    }

    QpAttributes attributes() {
        return attributes;
    }

    Requester requester() {
        return requester;
    }

    Responder responder() {
        return responder;
    }

    int state() {
        return state;
    }

    boolean step(int from, int to) {
        return STATE.compareAndSet(this, from, to);
    }

    int remembered() {
        return remembered;
    }

    void remember(int value) {
        remembered = value;
    }

    /** Where its receives are posted, also when it shares them. */
    ReceiveQueue receives() {
        return receives;
    }

    /** Whether a packet comes from the peer, as far as a packet says who it is from. */
    boolean isConnectedTo(Frame frame) {
        return frame.sourceGidLow == attributes.destGidLow && frame.sourceGidHigh == attributes.destGidHigh;
    }

    boolean isDead() {
        return dead;
    }

    void end() {
        dead = true;
    }

    /** Something happened to it. */
    void tell(int event) {
        if (context.events().async(event, handle)) {
            events.incrementAndGet();
        }
    }

    /** How many events it had that the driver finds. */
    int events() {
        return events.get();
    }

    /**
     * Goes to the error state by itself. Under a lock of this queue pair: the caller flushes the queue it holds.
     *
     * @param event what to report; -1 for nothing.
     * @return false if it was there already, or in RESET.
     */
    boolean fail(int event) {
        int from = state;
        while (from != QpState.PVRDMA_QPS_ERR && from != QpState.PVRDMA_QPS_RESET) {
            if (STATE.compareAndSet(this, from, QpState.PVRDMA_QPS_ERR)) {
                context.counters().increment(Counter.QP_ERRORS);
                if (event >= 0) {
                    tell(event);
                }
                return true;
            }
            from = state;
        }
        return false;
    }

    @Override
    public String toString() {
        return String.format("qp 0x%x qpn 0x%x %s %s%s%n    sends %s%n    receives %s", handle, qpn,
            QpType.NAMES.of(shape.type()), QpState.NAMES.of(state()), dead ? " dead" : "", requester, responder);
    }
}
