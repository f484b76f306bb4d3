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
import org.openjdk.jcstress.infra.results.II_Result;

/** {@code CqeProducer.publish} against {@code CompletionQueue.available}. */
@JCStressTest
@Outcome(id = "0, 0", expect = Expect.ACCEPTABLE, desc = "not yet seen")
@Outcome(id = "1, 7", expect = Expect.ACCEPTABLE, desc = "seen and whole")
@Outcome(expect = Expect.FORBIDDEN, desc = "an index without its CQE")
@State
public class CqeIsWholeWhenItsIndexIsSeen {
    private final Rings rings = new Rings();
    private final CompletionQueue queue = rings.completionQueue(2);
    private final CqeProducer producer = rings.cqeProducer(2);

    @Actor
    public void device() {
        Rings.complete(producer, 7);
    }

    @Actor
    public void driver(final II_Result r) {
        r.r1 = queue.available();
        if (r.r1 == 1) {
            r.r2 = Rings.read(queue);
        }
    }
}
