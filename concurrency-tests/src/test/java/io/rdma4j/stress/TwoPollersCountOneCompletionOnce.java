/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.stress;

import io.rdma4j.queues.SharedReceiveQueue;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZI_Result;

/** {@code SharedReceiveQueue.completed} from two completion queues, of which one lies. */
@JCStressTest
@Outcome(id = {"true, false, 0", "false, true, 0"}, expect = Expect.ACCEPTABLE, desc = "one was believed")
@Outcome(expect = Expect.FORBIDDEN, desc = "more completions than work requests")
@State
public class TwoPollersCountOneCompletionOnce {
    private final SharedReceiveQueue queue = new Rings().sharedReceiveQueue(2);

    public TwoPollersCountOneCompletionOnce() {
        Rings.post(queue, 7);
    }

    @Actor
    public void one(final ZZI_Result r) {
        r.r1 = queue.completed();
    }

    @Actor
    public void other(final ZZI_Result r) {
        r.r2 = queue.completed();
    }

    @Arbiter
    public void count(final ZZI_Result r) {
        r.r3 = queue.outstanding();
    }
}
