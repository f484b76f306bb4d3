/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import io.rdma4j.driver.live.LiveAttributes;
import io.rdma4j.driver.live.LiveEntry;
import io.rdma4j.verbs.pvrdma.device.MemoryRegistration;
import io.rdma4j.verbs.pvrdma.device.RegionPages;

/** What others see of a region. */
final class RegionDescription {
    /** Flag: a region for fast registration; the range and the rights are those of the last one. */
    static final long FAST = 8;

    private RegionDescription() {
    }

    static void write(final LiveEntry entry, final RegionState state, final boolean cached) {
        final MemoryRegistration now = state.registration();
        final RegionPages pages = state.memory().pages();
        writeKeys(entry, state.pd(), now.lkey(), now.rkey());
        entry.set(LiveAttributes.Mr.ACCESS, state.accessBits())
            .set(LiveAttributes.Mr.IOVA, now.iova())
            .set(LiveAttributes.Mr.LENGTH, now.length())
            .set(LiveAttributes.Mr.ADDRESS, now.address())
            .set(LiveAttributes.Mr.PDIR_DMA, pages.pdirDma())
            .set(LiveAttributes.Mr.PAGES, pages.pages())
            .set(LiveAttributes.Mr.FLAGS, flags(state.memory().source(), cached));
    }

    private static long flags(final RegionSource source, final boolean cached) {
        return (source != null && source.onDemand() ? LiveAttributes.Mr.ON_DEMAND : 0)
            | (source instanceof ListSource ? LiveAttributes.Mr.PAGE_LIST : 0)
            | (cached ? LiveAttributes.Mr.CACHED : 0);
    }

    static void writeKeys(final LiveEntry entry, final PvrdmaPd pd, final int lkey, final int rkey) {
        entry.set(LiveAttributes.Mr.PD, pd.handle)
            .set(LiveAttributes.Mr.LKEY, Integer.toUnsignedLong(lkey))
            .set(LiveAttributes.Mr.RKEY, Integer.toUnsignedLong(rkey));
    }
}
