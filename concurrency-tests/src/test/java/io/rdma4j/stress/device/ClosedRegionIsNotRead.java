/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.stress.device;

import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.SendRequest;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.LJZ_Result;

/** A region is closed, and its memory used for something else, while the device is told to send from it. */
@JCStressTest
@Outcome(id = "SUCCESS, 1, true", expect = Expect.ACCEPTABLE, desc = "the key was alive: what was in the region")
@Outcome(id = "LOC_PROT_ERR, 0, true", expect = Expect.ACCEPTABLE, desc = "the key was dead: nothing")
@Outcome(expect = Expect.FORBIDDEN, desc = "something that was written after the region was closed")
@State
public class ClosedRegionIsNotRead {
    private final Loop loop = new Loop();
    private final MemoryRegion region = loop.registerSource();
    private final SendRequest write = loop.write(1, region.lkey(), Loop.rkey());

    public ClosedRegionIsNotRead() {
        loop.source(1);
    }

    @Actor
    public void poster() {
        loop.qp.postSend(write);
    }

    @Actor
    public void closer() {
        region.close();
        loop.source(2);
    }

    @Arbiter
    public void rest(final LJZ_Result r) {
        loop.poll();
        r.r1 = loop.last();
        r.r2 = loop.target();
        r.r3 = loop.close();
    }
}
