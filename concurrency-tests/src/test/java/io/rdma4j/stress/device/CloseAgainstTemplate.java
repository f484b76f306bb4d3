/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.stress.device;

import io.rdma4j.verbs.SendTemplate;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IIZ_Result;

/** A queue pair is closed while another thread posts a template of two requests. */
@JCStressTest
@Outcome(id = "2, 0, true", expect = Expect.ACCEPTABLE, desc = "posted; what it did was done when close returned")
@Outcome(id = "-4, 0, true", expect = Expect.ACCEPTABLE, desc = "CLOSED, and nothing is done")
@Outcome(expect = Expect.FORBIDDEN, desc = "half of it, a completion of what is gone, or a write after close")
@State
public class CloseAgainstTemplate {
    private final Loop loop = new Loop();
    private final SendTemplate template = loop.qp.prepare(
        loop.write(1, Loop.lkey(), Loop.rkey()), loop.write(2, Loop.lkey(), Loop.rkey()));
    private long atClose;

    public CloseAgainstTemplate() {
        loop.source(1);
    }

    @Actor
    public void poster(final IIZ_Result r) {
        r.r1 = template.wrId(0, 3).post();
    }

    @Actor
    public void closer() {
        loop.qp.close();
        atClose = loop.target();
    }

    @Arbiter
    public void rest(final IIZ_Result r) {
        final boolean stable = loop.target() == atClose && (r.r1 == 2 || atClose == 0);
        r.r2 = loop.poll();
        r.r3 = loop.close() && stable;
    }
}
