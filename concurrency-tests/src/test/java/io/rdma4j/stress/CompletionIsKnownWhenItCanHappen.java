/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.stress;

import io.rdma4j.hw.pvrdma.SqWqe;
import io.rdma4j.queues.SendQueue;
import io.rdma4j.queues.WqeConsumer;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IIZ_Result;

/** A device that completes at once, whose completion is polled by another thread than the one that posted. */
@JCStressTest
@Outcome(id = "0, 0, false", expect = Expect.ACCEPTABLE, desc = "not yet seen")
@Outcome(id = "1, 7, true", expect = Expect.ACCEPTABLE, desc = "seen, and known to be outstanding")
@Outcome(expect = Expect.FORBIDDEN, desc = "a genuine completion was taken for a forged one, or had no identifier")
@State
public class CompletionIsKnownWhenItCanHappen {
    private final Rings rings = new Rings();
    private final SendQueue queue = rings.sendQueue(2);
    private final WqeConsumer consumer = rings.sendConsumer(2);

    @Actor
    public void poster() {
        Rings.post(queue, 7);
    }

    @Actor
    public void deviceAndPoller(final IIZ_Result r) {
        r.r1 = consumer.peek();
        if (r.r1 == WqeConsumer.HAS_DATA) {
            final long seq = SqWqe.wrId(consumer.page(), consumer.offset());
            consumer.advance();
            r.r3 = queue.isOutstanding(seq);
            r.r2 = (int) queue.userWrId(seq);
        }
    }
}
