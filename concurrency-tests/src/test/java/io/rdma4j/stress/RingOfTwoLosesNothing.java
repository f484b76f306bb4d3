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
import org.openjdk.jcstress.infra.results.ZZ_Result;

/** Many laps of a ring of 2 slots. */
@JCStressTest
@Outcome(id = "true, true", expect = Expect.ACCEPTABLE, desc = "all whole, in order, none lost")
@Outcome(expect = Expect.FORBIDDEN, desc = "torn, lost, doubled or out of order")
@State
public class RingOfTwoLosesNothing {
    private final Laps laps = new Laps(2);

    @Actor
    public void driver() {
        laps.post();
    }

    @Actor
    public void device(final ZZ_Result r) {
        r.r1 = laps.consume();
    }

    @Arbiter
    public void rest(final ZZ_Result r) {
        r.r2 = laps.consume() && laps.isEverythingConsumed();
    }
}
