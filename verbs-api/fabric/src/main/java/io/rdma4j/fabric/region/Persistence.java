/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.region;

import io.rdma4j.base.Cleanup;
import io.rdma4j.driver.memory.PersistentRange;

import java.util.List;

/** The files behind a region that was registered with FI_RMA_PMEM. Immutable. */
final class Persistence {
    private final List<PersistentRange> ranges;
    /** Whether the device stores as a processor does, so that the kernel knows which pages were changed. */
    private final boolean byProcessor;

    /** Looks at what is mapped, and refuses what is in no file. */
    Persistence(final RegionBuffers buffers, final boolean byProcessor) {
        this.byProcessor = byProcessor;
        ranges = buffers.list().stream().map(piece -> PersistentRange.of(piece.address(), piece.length())).toList();
    }

    void flush() {
        Cleanup.all(ranges, range -> flush(range, range.address(), range.length()));
    }

    /** A part of the memory: all of it that is in a file, also where some is in none any more. */
    void flush(final long address, final long length) {
        Cleanup.all(ranges, range -> {
            final long from = Math.max(address, range.address());
            final long rest = Math.min(address + length, range.address() + range.length()) - from;
            if (rest > 0) {
                flush(range, from, rest);
            }
        });
    }

    private void flush(final PersistentRange range, final long address, final long length) {
        if (byProcessor) {
            range.flush(address, length);
        } else {
            range.flushAfterDma(address, length);
        }
    }
}
