/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import io.rdma4j.driver.live.LiveEntry;
import io.rdma4j.verbs.live.MrKind;
import io.rdma4j.verbs.pvrdma.device.MemoryRegistration;
import io.rdma4j.verbs.pvrdma.device.RegionPages;

/** What others see of a region. */
final class RegionDescription {
    private RegionDescription() {
    }

    static void write(final LiveEntry entry, final RegionState state, final boolean cached) {
        final MemoryRegistration now = state.registration();
        final RegionPages pages = state.memory().pages();
        writeKeys(entry, state.pd(), now.lkey(), now.rkey());
        entry.set(MrKind.ACCESS, state.accessBits())
            .set(MrKind.IOVA, now.iova())
            .set(MrKind.LENGTH, now.length())
            .set(MrKind.ADDRESS, now.address())
            .set(MrKind.PDIR_DMA, pages.pdirDma())
            .set(MrKind.PAGES, pages.pages())
            .set(MrKind.FLAGS, flags(state.memory().source(), cached));
    }

    private static long flags(final RegionSource source, final boolean cached) {
        return (source != null && source.onDemand() ? MrKind.ON_DEMAND : 0)
            | (source instanceof ListSource ? MrKind.PAGE_LIST : 0)
            | (cached ? MrKind.CACHED : 0);
    }

    static void writeKeys(final LiveEntry entry, final PvrdmaPd pd, final int lkey, final int rkey) {
        entry.set(MrKind.PD, pd.handle)
            .set(MrKind.LKEY, Integer.toUnsignedLong(lkey))
            .set(MrKind.RKEY, Integer.toUnsignedLong(rkey));
    }
}
