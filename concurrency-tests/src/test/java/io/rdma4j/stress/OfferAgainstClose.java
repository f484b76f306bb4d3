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

/** {@code SharedSendQueue.close} and {@code drain} by the owner, while another thread offers. */
@JCStressTest
@Outcome(id = "true, true, 1", expect = Expect.ACCEPTABLE, desc = "taken, and seen by the owner before it was done")
@Outcome(id = "true, false, 1", expect = Expect.ACCEPTABLE, desc = "taken, and the owner knew that it had to go on")
@Outcome(id = {"false, true, 0", "false, false, 0"}, expect = Expect.ACCEPTABLE, desc = "refused, and not seen")
@Outcome(expect = Expect.FORBIDDEN, desc = "lost, doubled, or seen though it was refused")
@State
public class OfferAgainstClose {
    private final SharedFront front = new SharedFront(2);
    private boolean done;
    private int seenWhenDone;

    @Actor
    public void producer(final ZZI_Result r) {
        r.r1 = front.offer(7);
    }

    @Actor
    public void owner(final ZZI_Result r) {
        front.close();
        front.drain();
        done = front.drain();
        seenWhenDone = front.count();
        r.r2 = done;
    }

    /** Who was told that all is done must have seen all. */
    @Arbiter
    public void rest(final ZZI_Result r) {
        front.drainAll();
        r.r3 = done && front.count() != seenWhenDone || !front.drain() ? -1 : front.times(7);
    }
}
