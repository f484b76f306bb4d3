/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.stress.wire;

import io.rdma4j.device.wire.FrameRing;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** Two frames are put in while somebody looks twice. */
@JCStressTest
@Outcome(id = {"0, 0", "0, 1", "1, 0", "1, 2"}, expect = Expect.ACCEPTABLE, desc = "whole and in order, or not yet")
@Outcome(expect = Expect.FORBIDDEN, desc = "torn, or out of order")
@State
public class FrameIsWholeWhenItsWordIsSeen {
    private final FrameRing ring = new FrameRing();

    @Actor
    public void writer() {
        ring.put(1);
        ring.put(2);
    }

    @Actor
    public void reader(final II_Result r) {
        r.r1 = ring.take();
        r.r2 = ring.take();
    }
}
