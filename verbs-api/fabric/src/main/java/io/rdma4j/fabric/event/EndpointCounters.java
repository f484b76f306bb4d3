/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.event;

import io.rdma4j.base.Undo;
import io.rdma4j.fabric.Counter;
import io.rdma4j.fabric.CounterEvent;
import io.rdma4j.fabric.Domain;
import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.OperationKind;

import java.util.Map;

/**
 * The counters of one endpoint. They cannot be closed before this is. Counting takes no lock and allocates nothing; it
 * wakes up only threads that wait for what was reached by it. For any thread.
 */
public final class EndpointCounters implements AutoCloseable {
    private static final String OPEN = "open endpoint";
    private static final EndpointCounters NONE = new EndpointCounters(new FabricCounter[0]);

    /** By the number of the kind; null where nothing counts. */
    private final FabricCounter[] byKind = new FabricCounter[OperationKind.values().length];
    /** One for each event that is counted: the same several times, if it counts several. */
    private final FabricCounter[] held;
    private boolean closed;

    private EndpointCounters(final FabricCounter[] held) {
        this.held = held;
    }

    /**
     * Of an endpoint that counts nothing.
     *
     * @return to be closed or not.
     */
    public static EndpointCounters none() {
        return NONE;
    }

    /**
     * Takes the counters of an endpoint.
     *
     * @param domain   of the endpoint, as the application sees it.
     * @param counters of {@link io.rdma4j.fabric.EndpointOptions#counters()}.
     * @return the caller owns it, and closes it with the endpoint.
     * @throws FabricException FI_EDOMAIN for a counter of another domain, FI_EBADFD for a closed one.
     */
    public static EndpointCounters open(final Domain domain, final Map<CounterEvent, Counter> counters) {
        if (counters.isEmpty()) {
            return NONE;
        }
        final EndpointCounters opened = new EndpointCounters(new FabricCounter[counters.size()]);
        try (Undo undo = new Undo()) {
            undo.add(opened::close);
            int at = 0;
            for (final Map.Entry<CounterEvent, Counter> each : counters.entrySet()) {
                final FabricCounter counter = ours(domain, each.getValue());
                counter.hold(OPEN);
                opened.held[at++] = counter;
                opened.byKind[kindOf(each.getKey()).ordinal()] = counter;
            }
            // One that fetches is FI_READ, as fi_cntr(3) has it.
            opened.byKind[OperationKind.ATOMIC.ordinal()] = opened.byKind[OperationKind.READ.ordinal()];
            opened.byKind[OperationKind.ATOMIC_UPDATE.ordinal()] = opened.byKind[OperationKind.WRITE.ordinal()];
            opened.byKind[OperationKind.TAGGED_SEND.ordinal()] = opened.byKind[OperationKind.SEND.ordinal()];
            opened.byKind[OperationKind.TAGGED_RECEIVE.ordinal()] = opened.byKind[OperationKind.RECEIVE.ordinal()];
            undo.forget();
            return opened;
        }
    }

    private static FabricCounter ours(final Domain domain, final Counter counter) {
        if (!(counter instanceof FabricCounter) || counter.domain() != domain) {
            throw FabricException.of(OPEN).detail("%s belongs to another domain than %s", counter, domain)
                .errno(FiErrno.FI_EDOMAIN).hint("use one of Domain.openCounter").build();
        }
        return (FabricCounter) counter;
    }

    private static OperationKind kindOf(final CounterEvent event) {
        return switch (event) {
            case SEND -> OperationKind.SEND;
            case RECV -> OperationKind.RECEIVE;
            case READ -> OperationKind.READ;
            case WRITE -> OperationKind.WRITE;
            case REMOTE_WRITE -> OperationKind.REMOTE_WRITE;
        };
    }

    /**
     * An operation was carried out.
     *
     * @param kind what it was.
     */
    public void success(final OperationKind kind) {
        final FabricCounter counter = byKind[kind.ordinal()];
        if (counter != null) {
            counter.countSuccess();
        }
    }

    /**
     * An operation failed.
     *
     * @param kind what it was.
     */
    public void failure(final OperationKind kind) {
        final FabricCounter counter = byKind[kind.ordinal()];
        if (counter != null) {
            counter.countFailure();
        }
    }

    /** Gives the counters back: nothing may be counted afterwards. Harmless when called again. */
    @Override
    public void close() {
        synchronized (held) {
            if (closed) {
                return;
            }
            closed = true;
        }
        for (final FabricCounter counter : held) {
            if (counter != null) {
                counter.release();
            }
        }
    }
}
