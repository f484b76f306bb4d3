/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.stress;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZI_Result;

/** Two threads offer two requests each at the same time. */
@JCStressTest
@Outcome(id = "true, true, 4", expect = Expect.ACCEPTABLE, desc = "each once, whole, in the order of its producer")
@Outcome(expect = Expect.FORBIDDEN, desc = "lost, doubled, torn or overtaken")
@State
public class SharedQueueKeepsOrder {
    private final SharedFront front = new SharedFront(8);

    @Actor
    public void one() {
        front.offer(1);
        front.offer(2);
    }

    @Actor
    public void other() {
        front.offer(3);
        front.offer(4);
    }

    @Arbiter
    public void rest(final ZZI_Result r) {
        front.drainAll();
        r.r1 = front.inOrder(1, 2);
        r.r2 = front.inOrder(3, 4);
        r.r3 = front.times(1) + front.times(2) + front.times(3) + front.times(4);
    }
}
