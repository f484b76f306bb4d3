/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.stress;

import io.rdma4j.fabric.cache.CacheUse;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/**
 * One thread takes a region of the cache and keeps it, another one takes and releases it, over and over: its owner is
 * held as long as the first one uses it. A release that was the last one until that came puts back what it cleared.
 */
@JCStressTest
@Outcome(id = "true, true", expect = Expect.ACCEPTABLE, desc = "held while used, and not afterwards")
@Outcome(expect = Expect.FORBIDDEN, desc = "the owner could be collected under the device, or never is")
@State
public class CachedEntryKeepsItsOwner {
    private final CacheUse entry = new CacheUse();

    @Actor
    public void one(final ZZ_Result r) {
        r.r1 = entry.take();
    }

    @Actor
    public void two(final ZZ_Result r) {
        boolean taken = true;
        for (int i = 0; i < 3; i++) {
            taken &= entry.take();
            entry.release();
        }
        r.r2 = taken;
    }

    @Arbiter
    public void rest(final ZZ_Result r) {
        r.r1 &= entry.isSound();
        entry.release();
        r.r2 &= !entry.holdsOwner() && entry.closed() == 0;
    }
}
