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

/** A region is closed while a peer writes to it. */
@JCStressTest
@Outcome(id = "SUCCESS, 1, true", expect = Expect.ACCEPTABLE, desc = "the key was alive: written before close returned")
@Outcome(id = "REM_ACCESS_ERR, 0, true", expect = Expect.ACCEPTABLE, desc = "the key was dead: nothing is written")
@Outcome(expect = Expect.FORBIDDEN, desc = "written although the region was closed")
@State
public class ClosedRegionIsNotWritten {
    private final Loop loop = new Loop();
    private final MemoryRegion region = loop.registerTarget();
    private final SendRequest write = loop.write(1, Loop.lkey(), region.rkey());
    private long atClose;

    public ClosedRegionIsNotWritten() {
        loop.source(1);
    }

    @Actor
    public void poster() {
        loop.qp.postSend(write);
    }

    @Actor
    public void closer() {
        region.close();
        atClose = loop.target();
    }

    @Arbiter
    public void rest(final LJZ_Result r) {
        loop.poll();
        r.r1 = loop.last();
        r.r2 = loop.target();
        r.r3 = loop.close() && r.r2 == atClose;
    }
}
