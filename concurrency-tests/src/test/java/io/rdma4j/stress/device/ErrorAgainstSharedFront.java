/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.stress.device;

import io.rdma4j.verbs.ReturnCode;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.SharedSendQueue;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IIII_Result;

/** A queue pair goes to ERR while one thread offers to its shared send queue and the owner drains that. */
@JCStressTest
@Outcome(id = "2, 1, 1, 1", expect = Expect.ACCEPTABLE, desc = "each was done or flushed, once and in order")
@Outcome(expect = Expect.FORBIDDEN, desc = "a request was lost, completed twice, or out of order")
@State
public class ErrorAgainstSharedFront {
    private final Loop loop = new Loop();
    private final SharedSendQueue queue = new SharedSendQueue(loop.qp, 2, (wrId, code) -> refused());
    private final SendRequest first = loop.write(1, Loop.lkey(), Loop.rkey());
    private final SendRequest second = loop.write(2, Loop.lkey(), Loop.rkey());
    private int failed;

    private void refused() {
        failed++;
    }

    @Actor
    public void producer(final IIII_Result r) {
        final int code = queue.offer(first);
        r.r1 = queue.offer(second) == ReturnCode.OK && code == ReturnCode.OK ? 2 : code;
    }

    @Actor
    public void owner() {
        queue.drain(2);
        loop.toError();
        queue.drain(2);
    }

    @Arbiter
    public void rest(final IIII_Result r) {
        queue.close();
        while (queue.drain(2) != ReturnCode.CLOSED) {
            Thread.onSpinWait();
        }
        loop.poll();
        r.r2 = loop.times(1);
        r.r3 = loop.times(2);
        r.r4 = loop.close() && failed == 0 ? 1 : 0;
    }
}
