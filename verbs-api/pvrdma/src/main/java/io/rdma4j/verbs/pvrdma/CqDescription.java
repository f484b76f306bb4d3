/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import io.rdma4j.driver.live.LiveEntry;
import io.rdma4j.verbs.live.CqKind;

/** What others see of a CQ. */
final class CqDescription {
    private CqDescription() {
    }

    static void write(final LiveEntry entry, final CqRing ring) {
        entry.set(CqKind.RING_IOVA, ring.memory.iova())
            .set(CqKind.RING_LENGTH, ring.memory.length())
            .set(CqKind.CQES_OFFSET, RingMemory.ELEMENTS_OFFSET)
            .set(CqKind.CQE, ring.count())
            .set(CqKind.PDIR_DMA, ring.memory.pdirDma());
    }
}
