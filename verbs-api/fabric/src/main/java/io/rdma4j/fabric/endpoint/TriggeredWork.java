/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.endpoint;

import io.rdma4j.fabric.AtomicRequest;
import io.rdma4j.fabric.Capability;
import io.rdma4j.fabric.CompletionQueue;
import io.rdma4j.fabric.Counter;
import io.rdma4j.fabric.Endpoint;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.Message;
import io.rdma4j.fabric.OpFlags;
import io.rdma4j.fabric.OperationKind;
import io.rdma4j.fabric.completion.CompletionPort;
import io.rdma4j.fabric.completion.FabricCompletionQueue;
import io.rdma4j.fabric.completion.Failures;
import io.rdma4j.fabric.completion.Room;
import io.rdma4j.fabric.event.EndpointCounters;
import io.rdma4j.fabric.event.FabricCounter;

import java.util.ArrayList;
import java.util.List;

/**
 * Operations that are started when a counter has counted so far (fi_trigger). Whoever reads the endpoint's queue starts
 * them. For the thread that uses the endpoint.
 */
public final class TriggeredWork {
    /** What waits, and what failed and was not read. */
    private static final int MOST = 256;
    /** Counters tell nobody here; nobody sleeps longer while something waits. */
    private static final long LOOK_NANOS = 200_000;

    /** By which call an operation is started. */
    public enum Call {
        /** {@link Endpoint#sendMessage}. */
        SEND(OperationKind.SEND),
        /** {@link Endpoint#receiveMessage}. */
        RECEIVE(OperationKind.RECEIVE),
        /** {@link Endpoint#readMessage}. */
        READ(OperationKind.READ),
        /** {@link Endpoint#writeMessage}. */
        WRITE(OperationKind.WRITE),
        /** {@link io.rdma4j.fabric.TaggedMessages#sendMessage}. */
        TAGGED_SEND(OperationKind.TAGGED_SEND),
        /** {@link io.rdma4j.fabric.TaggedMessages#receiveMessage}. */
        TAGGED_RECEIVE(OperationKind.TAGGED_RECEIVE);

        private final OperationKind kind;

        Call(final OperationKind kind) {
            this.kind = kind;
        }
    }

    /** An operation that waits; the call is null for an atomic. */
    private record Waiting(
        FabricCounter counter, long threshold, Call call, Message message, AtomicRequest request, long flags) {
        boolean isDue() {
            return counter.isClosed() || Long.compareUnsigned(counter.read(), threshold) >= 0;
        }

        /** Whether it is triggered before one that was given later: what is due already was. */
        boolean isBefore(final Waiting later) {
            return counter != later.counter || Long.compareUnsigned(threshold, later.threshold) <= 0 || isDue();
        }

        OperationKind kind() {
            return call != null ? call.kind
                : request.result() == 0 ? OperationKind.ATOMIC_UPDATE : OperationKind.ATOMIC;
        }

        boolean isReceive() {
            return call == Call.RECEIVE || call == Call.TAGGED_RECEIVE;
        }

        private long peer() {
            return call == null ? request.peer() : message.peer();
        }

        /** Whether the order of the two is promised: of receives of a kind, of all else with one peer. */
        boolean keepsOrderWith(final Waiting other, final long peerMask) {
            return isReceive() || other.isReceive() ? call == other.call : ((peer() ^ other.peer()) & peerMask) == 0;
        }
    }

    private final CompletionPort port;
    private final Endpoint endpoint;
    private final FabricCompletionQueue transmit;
    private final FabricCompletionQueue receive;
    private final boolean isOffered;
    private final EndpointCounters counters;
    private final long peerMask;
    /** Of each counter in the order in which they are triggered. */
    private final List<Waiting> waiting = new ArrayList<>();
    /** Which were due and could not begin in this pass. */
    private final List<Waiting> stuck = new ArrayList<>();
    private final Room room = new Room(MOST);

    /**
     * Nothing waits.
     *
     * @param port     of the endpoint whose operations they are.
     * @param transmit where its sends complete.
     * @param receive  where its receives complete.
     * @param isOffered whether {@link Capability#TRIGGER} was negotiated.
     * @param counters count what fails before it begins.
     * @param peerMask which bits of an address tell the peer, and not its receive context; 0 where there is one peer.
     */
    public TriggeredWork(
        final CompletionPort port, final CompletionQueue transmit, final CompletionQueue receive,
        final boolean isOffered, final EndpointCounters counters, final long peerMask) {
        this.port = port;
        this.endpoint = port.endpoint();
        this.transmit = (FabricCompletionQueue) transmit;
        this.receive = (FabricCompletionQueue) receive;
        this.isOffered = isOffered;
        this.counters = counters;
        this.peerMask = peerMask;
    }

    /**
     * Keeps an operation until it is due.
     *
     * @param call    starts it.
     * @param message what is to be done, and when; copied.
     * @param flags   with {@link OpFlags#TRIGGER}.
     * @return 0 or a negated errno.
     */
    public int add(final Call call, final Message message, final long flags) {
        if (message == null) {
            return -FiErrno.FI_EINVAL;
        }
        final int objection = check(message.triggerCounter(), flags);
        if (objection == 0) {
            add(new Waiting((FabricCounter) message.triggerCounter(), message.threshold(), call,
                message.copy(), null, flags & ~OpFlags.TRIGGER));
        }
        return objection;
    }

    /**
     * Keeps an atomic until it is due.
     *
     * @param request what is to be done, and when; copied. Its operands are read when it is started.
     * @param flags   with {@link OpFlags#TRIGGER}.
     * @return 0 or a negated errno.
     */
    public int add(final AtomicRequest request, final long flags) {
        if (request == null) {
            return -FiErrno.FI_EINVAL;
        }
        final int objection = check(request.triggerCounter(), flags);
        if (objection == 0) {
            add(new Waiting((FabricCounter) request.triggerCounter(), request.threshold(), null, null,
                request.copy(), flags & ~OpFlags.TRIGGER));
        }
        return objection;
    }

    /** The endpoint may have had nothing to go on with until now. */
    private void add(final Waiting one) {
        int place = 0;
        while (place < waiting.size() && waiting.get(place).isBefore(one)) {
            place++;
        }
        waiting.add(place, one);
        transmit.wants(port);
    }

    private int check(final Counter counter, final long flags) {
        if (!isOffered) {
            return -FiErrno.FI_EOPNOTSUPP;
        }
        if ((flags & OpFlags.INJECT) != 0) {
            // Buffers are read when it begins: what is in them then is not what was to be sent.
            return -FiErrno.FI_EBADFLAGS;
        }
        if (!(counter instanceof FabricCounter) || counter.isClosed()) {
            return -FiErrno.FI_EINVAL;
        }
        if (counter.domain() != endpoint.domain()) {
            return -FiErrno.FI_EDOMAIN;
        }
        return room.take() ? 0 : -FiErrno.FI_EAGAIN;
    }

    /**
     * Starts what is due: of one counter in the order of the thresholds, of one threshold in the order in which it was
     * given. What there is no room for is tried again, and nothing for the same peer overtakes it.
     *
     * @return whether something waits.
     */
    public boolean progress() {
        int place = 0;
        while (place < waiting.size()) {
            final Waiting one = waiting.get(place);
            final boolean due = one.isDue();
            final int code = due && !isBehind(one) ? start(one) : -FiErrno.FI_EAGAIN;
            if (code == -FiErrno.FI_EAGAIN) {
                place++;
                if (due) {
                    stuck.add(one);
                }
                continue;
            }
            waiting.remove(place);
            if (code == 0) {
                room.giveBack();
            } else {
                failed(one, -code, Failures.NOT_TRIGGERED);
            }
        }
        stuck.clear();
        return !waiting.isEmpty();
    }

    private boolean isBehind(final Waiting one) {
        for (final Waiting before : stuck) {
            if (one.keepsOrderWith(before, peerMask)) {
                return true;
            }
        }
        return false;
    }

    private int start(final Waiting one) {
        if (one.counter.isClosed()) {
            return -FiErrno.FI_ECANCELED;
        }
        if (one.call == null) {
            return endpoint.atomic(one.request, one.flags);
        }
        return switch (one.call) {
            case SEND -> endpoint.sendMessage(one.message, one.flags);
            case RECEIVE -> endpoint.receiveMessage(one.message, one.flags);
            case READ -> endpoint.readMessage(one.message, one.flags);
            case WRITE -> endpoint.writeMessage(one.message, one.flags);
            case TAGGED_SEND -> endpoint.tagged().sendMessage(one.message, one.flags);
            case TAGGED_RECEIVE -> endpoint.tagged().receiveMessage(one.message, one.flags);
        };
    }

    private void failed(final Waiting one, final int errno, final int detail) {
        counters.failure(one.kind());
        (one.isReceive() ? receive : transmit).report()
            .set(endpoint, one.kind(), one.call == null ? one.request.context() : one.message.context(), 0)
            .failure(errno, detail).room(room).commit();
    }

    /**
     * How long nothing is to be done.
     *
     * @return nanoseconds; {@link Long#MAX_VALUE} for ever.
     */
    public long idleNanos() {
        return waiting.isEmpty() ? Long.MAX_VALUE : LOOK_NANOS;
    }

    /** The endpoint is closed: nothing is started any more. */
    public void cancelAll() {
        while (!waiting.isEmpty()) {
            failed(waiting.remove(0), FiErrno.FI_ECANCELED, Failures.CLOSED);
        }
    }
}
