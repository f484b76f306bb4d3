/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.stress;

import io.rdma4j.fabric.event.ProgressUse;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.Z_Result;

/** Two threads read an event queue while one of its sources gets something to do: the one at work must not miss it. */
@JCStressTest
@Outcome(id = "true", expect = Expect.ACCEPTABLE, desc = "done by one of them")
@Outcome(id = "false", expect = Expect.FORBIDDEN, desc = "each left it to the other")
@State
public class WakeUpDuringProgressIsNotForgotten {
    private final ProgressUse queue = new ProgressUse();

    @Actor
    public void reader() {
        queue.progress();
    }

    @Actor
    public void other() {
        queue.wake();
        queue.progress();
    }

    @Arbiter
    public void rest(final Z_Result r) {
        r.r1 = queue.isDone();
    }
}
