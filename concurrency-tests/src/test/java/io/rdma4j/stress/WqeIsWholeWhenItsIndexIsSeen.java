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
import org.openjdk.jcstress.infra.results.II_Result;

/** {@code SendQueue.publish} against {@code WqeConsumer.peek}. */
@JCStressTest
@Outcome(id = "0, 0", expect = Expect.ACCEPTABLE, desc = "not yet seen")
@Outcome(id = "1, 7", expect = Expect.ACCEPTABLE, desc = "seen and whole")
@Outcome(expect = Expect.FORBIDDEN, desc = "an index without its WQE")
@State
public class WqeIsWholeWhenItsIndexIsSeen {
    private final Rings rings = new Rings();
    private final SendQueue queue = rings.sendQueue(2);
    private final WqeConsumer consumer = rings.sendConsumer(2);

    @Actor
    public void driver() {
        Rings.post(queue, 7);
    }

    @Actor
    public void device(final II_Result r) {
        r.r1 = consumer.peek();
        if (r.r1 == WqeConsumer.HAS_DATA) {
            r.r2 = Rings.read(consumer);
        }
    }
}
