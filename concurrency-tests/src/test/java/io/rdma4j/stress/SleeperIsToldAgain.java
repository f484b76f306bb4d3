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

/** One who is woken up looks again, while more is counted: who was told is not told once more, nor forgotten. */
@JCStressTest
@Outcome(id = {"true, true", "true, false", "false, true"}, expect = Expect.ACCEPTABLE, desc = "one of them noticed")
@Outcome(id = "false, false", expect = Expect.FORBIDDEN, desc = "it sleeps and nobody wakes it")
@State
public class SleeperIsToldAgain {
    private final CounterUse counter = new CounterUse();

    public SleeperIsToldAgain() {
        counter.join();
    }

    @Actor
    public void waits(final ZZ_Result r) {
        r.r1 = counter.look();
    }

    @Actor
    public void counts() {
        counter.fail();
        counter.count();
    }

    @Arbiter
    public void rest(final ZZ_Result r) {
        r.r2 = counter.isTold();
    }
}
