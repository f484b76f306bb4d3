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
import org.openjdk.jcstress.infra.results.IIZ_Result;

/** {@code SendQueue.retireThrough} by a poller against {@code claim} by the poster, in a ring of one slot. */
@JCStressTest
@Outcome(id = "7, 7, false", expect = Expect.ACCEPTABLE, desc = "the ring was still full")
@Outcome(id = "7, 7, true", expect = Expect.ACCEPTABLE, desc = "the slot was taken again after it had been retired")
@Outcome(expect = Expect.FORBIDDEN, desc = "the poller got the identifier of a later work request")
@State
public class IdentifierStaysUntilItIsRetired {
    private final Rings rings = new Rings();
    private final SendQueue queue = rings.sendQueue(1);

    public IdentifierStaysUntilItIsRetired() {
        final WqeConsumer consumer = rings.sendConsumer(1);
        Rings.post(queue, 7);
        consumer.peek();
        consumer.advance();
    }

    @Actor
    public void poller(final IIZ_Result r) {
        r.r1 = (int) queue.userWrId(0);
        r.r2 = queue.flags(0);
        queue.retireThrough(0);
    }

    @Actor
    public void poster(final IIZ_Result r) {
        r.r3 = Rings.post(queue, 8);
    }
}
