/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.stress;

import io.rdma4j.queues.SendQueue;
import io.rdma4j.queues.WqeConsumer;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IZ_Result;

/** {@code WqeConsumer.advance} against {@code SendQueue.claim} in a ring of one slot. */
@JCStressTest
@Outcome(id = "7, false", expect = Expect.ACCEPTABLE, desc = "the ring was still full")
@Outcome(id = "7, true", expect = Expect.ACCEPTABLE, desc = "the slot was taken again after it had been read")
@Outcome(expect = Expect.FORBIDDEN, desc = "the slot was written while it was being read")
@State
public class WqeStaysUntilItIsConsumed {
    private final Rings rings = new Rings();
    private final SendQueue queue = rings.sendQueue(1);
    private final WqeConsumer consumer = rings.sendConsumer(1);

    public WqeStaysUntilItIsConsumed() {
        Rings.post(queue, 7);
        queue.retireThrough(0);
        consumer.peek();
    }

    @Actor
    public void device(final IZ_Result r) {
        r.r1 = Rings.read(consumer);
        consumer.advance();
    }

    @Actor
    public void driver(final IZ_Result r) {
        r.r2 = Rings.post(queue, 8);
    }
}
