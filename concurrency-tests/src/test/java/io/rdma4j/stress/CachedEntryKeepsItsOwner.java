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

/** Two threads take and release a region of the cache, over and over: its owner is held while it is used. */
@JCStressTest
@Outcome(id = "true, true", expect = Expect.ACCEPTABLE, desc = "held while used, and not afterwards")
@Outcome(expect = Expect.FORBIDDEN, desc = "the owner could be collected under the device, or never is")
@State
public class CachedEntryKeepsItsOwner {
    private final CacheUse entry = new CacheUse();

    private boolean use() {
        boolean sound = true;
        for (int i = 0; i < 3; i++) {
            final boolean taken = entry.take();
            entry.release();
            sound &= taken;
        }
        return sound;
    }

    @Actor
    public void one(final ZZ_Result r) {
        r.r1 = use();
    }

    @Actor
    public void two(final ZZ_Result r) {
        r.r2 = use();
    }

    @Arbiter
    public void rest(final ZZ_Result r) {
        r.r1 &= !entry.holdsOwner() && entry.closed() == 0;
    }
}
