/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.fabric.event;

import io.rdma4j.fabric.Counter;
import io.rdma4j.fabric.CounterEvent;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.OperationKind;
import java.util.Map;

/** A counter, an endpoint that counts, and one who waits for the first. Nobody sleeps: that would take too long. */
public final class CounterUse {
    private final FabricCounter counter = new FabricCounter(null, any -> { });
    private final EndpointCounters endpoint =
        EndpointCounters.open(null, Map.<CounterEvent, Counter>of(CounterEvent.SEND, counter));
    private final CountWaiter waiter = new CountWaiter(1, 0);

    /** Counts. */
    public void count() {
        endpoint.success(OperationKind.SEND);
    }

    /** Counts a failure. */
    public void fail() {
        endpoint.failure(OperationKind.SEND);
    }

    /** Joins those who sleep. */
    public void join() {
        counter.join(waiter);
    }

    /**
     * What the waiter does before each time it sleeps.
     *
     * @return whether it has no reason to
     */
    public boolean look() {
        waiter.looks();
        return counter.look(waiter) != -FiErrno.FI_EAGAIN;
    }

    /**
     * Whether the waiter was woken up.
     *
     * @return true if so
     */
    public boolean isTold() {
        return waiter.isTold();
    }
}
