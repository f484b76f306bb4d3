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
import org.openjdk.jcstress.infra.results.ZZ_Result;

/** A ring is full; its writer looks for room while its reader makes some. */
@JCStressTest
@Outcome(id = "true, false", expect = Expect.ACCEPTABLE, desc = "there was room")
@Outcome(id = "true, true", expect = Expect.ACCEPTABLE, desc = "there was room at the second look")
@Outcome(id = "false, true", expect = Expect.ACCEPTABLE, desc = "the reader knows that it has to tell")
@Outcome(expect = Expect.FORBIDDEN, desc = "the writer waits for ever")
@State
public class WriterWithoutRoomIsTold {
    private final FrameRing ring = new FrameRing();

    public WriterWithoutRoomIsTold() {
        int number = 1;
        while (ring.put(number)) {
            number++;
        }
        // That set the flag. One place is not enough: the ring's end is in the way.
        ring.isWriterWaiting();
        ring.take();
    }

    @Actor
    public void writer(final ZZ_Result r) {
        r.r1 = ring.put(9);
    }

    @Actor
    public void reader(final ZZ_Result r) {
        ring.take();
        r.r2 = ring.isWriterWaiting();
    }
}
