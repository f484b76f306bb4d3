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
import org.openjdk.jcstress.infra.results.ZI_Result;

/** A region of the pages 0 and 1 is closed while another thread registers 1 and 2. */
@JCStressTest
@Outcome(id = "true, 6", expect = Expect.ACCEPTABLE, desc = "what is registered is locked, and nothing else is")
@Outcome(expect = Expect.FORBIDDEN, desc = "a page of an open region is not locked, or one of a closed region is")
@State
public class CloseAgainstRegister {
    private final LockedPages pages = new LockedPages();

    public CloseAgainstRegister() {
        pages.pin(0, 2);
    }

    @Actor
    public void closing() {
        pages.unpin(0, 2);
    }

    @Actor
    public void registering(final ZI_Result r) {
        r.r1 = pages.pin(1, 2);
    }

    @Arbiter
    public void rest(final ZI_Result r) {
        r.r1 &= pages.areLocked(1, 2);
        r.r2 = pages.mask();
    }
}
