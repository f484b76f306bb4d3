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

/** {@code SharedSendQueue.abandon} by the owner, while another thread offers. */
@JCStressTest
@Outcome(id = "true, true, 1", expect = Expect.ACCEPTABLE, desc = "taken, and reported")
@Outcome(id = "false, true, 0", expect = Expect.ACCEPTABLE, desc = "refused, and not reported")
@Outcome(expect = Expect.FORBIDDEN, desc = "lost, doubled, or reported though it was refused")
@State
public class OfferAgainstAbandon {
    private final SharedFront front = new SharedFront(2);

    @Actor
    public void producer(final ZZI_Result r) {
        r.r1 = front.offer(7);
    }

    @Actor
    public void owner() {
        front.abandon();
    }

    @Arbiter
    public void rest(final ZZI_Result r) {
        front.abandon();
        r.r2 = front.abandon();
        r.r3 = front.times(7);
    }
}
