/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.stress;

import io.rdma4j.hw.pvrdma.Uar;
import io.rdma4j.queues.CompletionQueue;
import io.rdma4j.queues.CqeProducer;
import io.rdma4j.queues.MappedDoorbell;
import java.lang.invoke.VarHandle;
import org.agrona.BufferUtil;
import org.agrona.concurrent.UnsafeBuffer;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IZ_Result;

/** The driver arms, then looks; the device completes, then looks whether it must interrupt. */
@JCStressTest
@Outcome(id = {"1, true", "1, false", "0, true"}, expect = Expect.ACCEPTABLE, desc = "one of them noticed, or both")
@Outcome(id = "0, false", expect = Expect.FORBIDDEN, desc = "the driver sleeps and nobody wakes it")
@Outcome(expect = Expect.FORBIDDEN, desc = "no such state")
@State
public class ArmedQueueIsNotForgotten {
    private final UnsafeBuffer uar = new UnsafeBuffer(BufferUtil.allocateDirectAligned(64, 64));
    private final Rings rings = new Rings();
    private final CompletionQueue queue = rings.completionQueue(2, new MappedDoorbell(uar));
    private final CqeProducer producer = rings.cqeProducer(2);

    @Actor
    public void driver(final IZ_Result r) {
        queue.arm();
        r.r1 = queue.available();
    }

    @Actor
    public void device(final IZ_Result r) {
        Rings.complete(producer, 7);
        VarHandle.fullFence();
        r.r2 = (uar.getIntAcquire(Uar.CQ_OFFSET) & Uar.CQ_ARM) != 0;
    }
}
