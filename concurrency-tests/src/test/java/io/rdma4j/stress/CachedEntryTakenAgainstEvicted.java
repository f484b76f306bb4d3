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
import org.openjdk.jcstress.infra.results.IZI_Result;

/** A region of the cache is taken, used and released, while another thread evicts it. */
@JCStressTest
@Outcome(id = "1, true, 0", expect = Expect.ACCEPTABLE, desc = "taken first: it was open all the time, and still is")
@Outcome(id = "1, true, 1", expect = Expect.ACCEPTABLE, desc = "used, released, then evicted")
@Outcome(id = "0, true, 1", expect = Expect.ACCEPTABLE, desc = "evicted first: not found")
@Outcome(expect = Expect.FORBIDDEN, desc = "closed while in use, never closed, or closed twice")
@State
public class CachedEntryTakenAgainstEvicted {
    private final CacheUse entry = new CacheUse();

    @Actor
    public void user(final IZI_Result r) {
        r.r2 = true;
        if (entry.take()) {
            r.r1 = 1;
            r.r2 = entry.isSound();
            entry.release();
        }
    }

    @Actor
    public void evictor() {
        entry.evict();
    }

    @Arbiter
    public void rest(final IZI_Result r) {
        r.r2 &= !entry.holdsOwner();
        r.r3 = entry.closed();
    }
}
