/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.stress;

import io.rdma4j.queues.CompletionQueue;
import io.rdma4j.queues.CqeProducer;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IZ_Result;

/** {@code CompletionQueue.consume} against {@code CqeProducer.claim} in a ring of one slot. */
@JCStressTest
@Outcome(id = "7, false", expect = Expect.ACCEPTABLE, desc = "the ring was still full")
@Outcome(id = "7, true", expect = Expect.ACCEPTABLE, desc = "the slot was taken again after it had been read")
@Outcome(expect = Expect.FORBIDDEN, desc = "the slot was written while it was being read")
@State
public class CqeStaysUntilItIsConsumed {
    private final Rings rings = new Rings();
    private final CompletionQueue queue = rings.completionQueue(1);
    private final CqeProducer producer = rings.cqeProducer(1);

    public CqeStaysUntilItIsConsumed() {
        Rings.complete(producer, 7);
        queue.available();
    }

    @Actor
    public void driver(final IZ_Result r) {
        r.r1 = Rings.read(queue);
        queue.consume(1);
    }

    @Actor
    public void device(final IZ_Result r) {
        r.r2 = Rings.complete(producer, 8);
    }
}
