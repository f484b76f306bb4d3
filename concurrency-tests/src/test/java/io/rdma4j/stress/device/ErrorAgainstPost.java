/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.stress.device;

import io.rdma4j.verbs.SendRequest;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IIII_Result;

/** A queue pair goes to ERR while another thread posts. */
@JCStressTest
@Outcome(id = "2, 1, 1, 1", expect = Expect.ACCEPTABLE, desc = "each was done or flushed, once and in order")
@Outcome(expect = Expect.FORBIDDEN, desc = "a request was lost, completed twice, or out of order")
@State
public class ErrorAgainstPost {
    private final Loop loop = new Loop();
    private final SendRequest first = loop.write(1, Loop.lkey(), Loop.rkey());
    private final SendRequest second = loop.write(2, Loop.lkey(), Loop.rkey());

    @Actor
    public void poster(final IIII_Result r) {
        final int code = loop.qp.postSend(first);
        r.r1 = loop.qp.postSend(second) == 0 && code == 0 ? 2 : code;
    }

    @Actor
    public void breaker() {
        loop.toError();
    }

    @Arbiter
    public void rest(final IIII_Result r) {
        loop.poll();
        r.r2 = loop.times(1);
        r.r3 = loop.times(2);
        r.r4 = loop.close() ? 1 : 0;
    }
}
