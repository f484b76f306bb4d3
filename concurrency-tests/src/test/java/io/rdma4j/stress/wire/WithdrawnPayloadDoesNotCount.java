/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.stress.wire;

import io.rdma4j.device.wire.ReferenceRing;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/** Payload is referred to, taken back and changed while somebody reads it. */
@JCStressTest
@Outcome(id = "0", expect = Expect.ACCEPTABLE, desc = "there is no frame yet")
@Outcome(id = "1", expect = Expect.ACCEPTABLE, desc = "it is what was sent")
@Outcome(id = "-1", expect = Expect.ACCEPTABLE, desc = "it does not count, whatever it is")
@Outcome(id = "2", expect = Expect.FORBIDDEN, desc = "what was not sent counts")
@State
public class WithdrawnPayloadDoesNotCount {
    private final ReferenceRing ring = new ReferenceRing();

    @Actor
    public void writer() {
        ring.sendAndWithdraw();
    }

    @Actor
    public void reader(final I_Result r) {
        r.r1 = ring.take();
    }
}
