/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.region;

import io.rdma4j.RdmaException;
import io.rdma4j.driver.memory.PersistentRange;
import io.rdma4j.fabric.MrAttributes;

import java.util.List;

/** The files behind a region that was registered with FI_RMA_PMEM. Immutable. */
final class Persistence {
    private final List<MrAttributes.Piece> pieces;
    /** Whether the device stores as a processor does, so that the kernel knows which pages were changed. */
    private final boolean byProcessor;

    /** Looks at what is mapped, and refuses what is in no file. */
    Persistence(final RegionBuffers buffers, final boolean byProcessor) {
        this.byProcessor = byProcessor;
        pieces = buffers.list();
        pieces.forEach(piece -> PersistentRange.of(piece.address(), piece.length()));
    }

    void flush() {
        pieces.forEach(piece -> flush(piece.address(), piece.length()));
    }

    /** A part of one piece. */
    void flush(final long address, final long length) {
        final PersistentRange range = now(address, length);
        if (byProcessor) {
            range.flush();
        } else {
            range.flushAfterDma(address, length);
        }
    }

    /** Other pages may have come since: msync tells only where there are none, and not where they are in no file. */
    private static PersistentRange now(final long address, final long length) {
        try {
            return PersistentRange.of(address, length);
        } catch (final RdmaException e) {
            if (e.errno() != RdmaException.EFAULT) {
                throw e;
            }
            // As msync says it.
            throw RdmaException.of("flush persistent memory").detail("%s", e.getMessage()).errno(RdmaException.ENOMEM)
                .cause(e).build();
        }
    }
}
