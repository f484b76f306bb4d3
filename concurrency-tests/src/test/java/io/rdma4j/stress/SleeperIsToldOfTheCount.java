/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.stress;

import io.rdma4j.fabric.event.CounterUse;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/** Who waits joins the sleepers, then looks at the counter; who counts adds, then looks for sleepers. */
@JCStressTest
@Outcome(id = {"true, true", "true, false", "false, true"}, expect = Expect.ACCEPTABLE, desc = "one of them noticed")
@Outcome(id = "false, false", expect = Expect.FORBIDDEN, desc = "it sleeps and nobody wakes it")
@State
public class SleeperIsToldOfTheCount {
    private final CounterUse counter = new CounterUse();

    @Actor
    public void waits(final ZZ_Result r) {
        counter.join();
        r.r1 = counter.look();
    }

    @Actor
    public void counts() {
        counter.count();
    }

    @Arbiter
    public void rest(final ZZ_Result r) {
        r.r2 = counter.isTold();
    }
}
