/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import io.rdma4j.driver.live.LiveAttributes;
import io.rdma4j.driver.live.LiveEntry;

/** What others see of a CQ. */
final class CqDescription {
    private CqDescription() {
    }

    static void write(final LiveEntry entry, final CqRing ring) {
        entry.set(LiveAttributes.Cq.RING_IOVA, ring.memory.iova())
            .set(LiveAttributes.Cq.RING_LENGTH, ring.memory.length())
            .set(LiveAttributes.Cq.CQES_OFFSET, RingMemory.ELEMENTS_OFFSET)
            .set(LiveAttributes.Cq.CQE, ring.count())
            .set(LiveAttributes.Cq.PDIR_DMA, ring.memory.pdirDma());
    }
}
