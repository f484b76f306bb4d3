/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.region;

import io.rdma4j.driver.memory.PersistentRange;
import io.rdma4j.fabric.MrAttributes;

import java.util.ArrayList;
import java.util.List;

/** The files behind a region that was registered with FI_RMA_PMEM. Immutable. */
final class Persistence {
    private final List<PersistentRange> ranges = new ArrayList<>();
    /** Whether the device stores as a processor does, so that the kernel knows which pages were changed. */
    private final boolean byProcessor;

    /** Looks at what is mapped, and refuses what is in no file. */
    Persistence(final RegionBuffers buffers, final boolean byProcessor) {
        this.byProcessor = byProcessor;
        for (final MrAttributes.Piece piece : buffers.list()) {
            ranges.add(PersistentRange.of(piece.address(), piece.length()));
        }
    }

    void flush() {
        ranges.forEach(range -> flush(range, range.address(), range.length()));
    }

    /** A part of one piece. */
    void flush(final long address, final long length) {
        for (final PersistentRange range : ranges) {
            final long inside = address - range.address();
            if (inside >= 0 && inside <= range.length() && length <= range.length() - inside) {
                flush(range, address, length);
                return;
            }
        }
    }

    private void flush(final PersistentRange range, final long address, final long length) {
        if (byProcessor) {
            range.flush(address, length);
        } else {
            range.flushAfterDma(address, length);
        }
    }
}
