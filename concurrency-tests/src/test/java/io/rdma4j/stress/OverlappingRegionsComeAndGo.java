/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.stress;

import io.rdma4j.driver.dma.LockedPages;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZI_Result;

/** Two threads register overlapping regions, one of them inside of the other's, and close them again. */
@JCStressTest
@Outcome(id = "true, true, 0", expect = Expect.ACCEPTABLE, desc = "locked while they were open, and not any more")
@Outcome(expect = Expect.FORBIDDEN, desc = "a page was unlocked under a region, or stays locked for ever")
@State
public class OverlappingRegionsComeAndGo {
    private final LockedPages pages = new LockedPages();

    @Actor
    public void outer(final ZZI_Result r) {
        final boolean first = pages.pin(0, 4);
        r.r1 = first && pages.areLocked(0, 4);
        pages.unpin(0, 4);
    }

    @Actor
    public void inner(final ZZI_Result r) {
        final boolean first = pages.pin(1, 2) && pages.pin(2, 2);
        pages.unpin(1, 2);
        r.r2 = first && pages.areLocked(2, 2);
        pages.unpin(2, 2);
    }

    @Arbiter
    public void rest(final ZZI_Result r) {
        r.r3 = pages.mask();
    }
}
