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
import org.openjdk.jcstress.infra.results.ZI_Result;

/** A region of the cache is used, twice for a while, while its memory changes: who comes last closes it. */
@JCStressTest
@Outcome(id = "true, 1", expect = Expect.ACCEPTABLE, desc = "open while in use, and closed once")
@Outcome(expect = Expect.FORBIDDEN, desc = "closed while in use, never closed, or closed twice")
@State
public class CachedEntryReleasedAgainstRetired {
    private final CacheUse entry = new CacheUse();
    private boolean sound = true;

    @Actor
    public void user() {
        if (entry.take()) {
            final boolean twice = entry.take();
            sound = entry.isSound();
            entry.release();
            if (twice) {
                sound &= entry.isSound();
                entry.release();
            }
        }
    }

    @Actor
    public void change() {
        entry.retire();
    }

    @Arbiter
    public void rest(final ZI_Result r) {
        r.r1 = sound && !entry.take() && !entry.holdsOwner();
        r.r2 = entry.closed();
    }
}
