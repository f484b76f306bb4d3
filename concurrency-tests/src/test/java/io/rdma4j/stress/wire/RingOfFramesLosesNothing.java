/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.stress.wire;

import io.rdma4j.device.wire.FrameRing;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/** Many laps of a ring of two frames. */
@JCStressTest
@Outcome(id = "true, true", expect = Expect.ACCEPTABLE, desc = "all whole, in order, none lost")
@Outcome(expect = Expect.FORBIDDEN, desc = "torn, lost, doubled or out of order")
@State
public class RingOfFramesLosesNothing {
    private static final int TRIES = 12;

    private final FrameRing ring = new FrameRing();
    private int sent;
    private int taken;

    @Actor
    public void writer() {
        for (int i = 0; i < TRIES; i++) {
            if (ring.put(sent + 1)) {
                sent++;
            }
        }
    }

    @Actor
    public void reader(final ZZ_Result r) {
        r.r1 = take();
    }

    private boolean take() {
        boolean right = true;
        for (int i = 0; i < TRIES; i++) {
            final int number = ring.take();
            if (number != FrameRing.NOTHING) {
                right &= number == ++taken;
            }
        }
        return right;
    }

    @Arbiter
    public void rest(final ZZ_Result r) {
        r.r2 = take() && taken == sent;
    }
}
