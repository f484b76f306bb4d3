/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.conformance.differential;

import io.rdma4j.driver.pci.DmaDomain;
import io.rdma4j.driver.pci.DmaMemory;
import io.rdma4j.hw.pvrdma.Pdir;

import org.agrona.concurrent.UnsafeBuffer;

import java.nio.ByteOrder;

/** A page directory with one table. */
final class RawDirectory implements AutoCloseable {
    private final DmaMemory memory;

    RawDirectory(final DmaDomain dma, final long... pages) {
        if (pages.length > Pdir.ENTRIES) {
            throw new IllegalArgumentException(pages.length + " pages: one table names " + Pdir.ENTRIES);
        }
        memory = dma.allocate(2L * Pdir.PAGE_SIZE);
        final UnsafeBuffer buffer = memory.buffer();
        buffer.putLong(0, memory.iova() + Pdir.PAGE_SIZE, ByteOrder.LITTLE_ENDIAN);
        for (int i = 0; i < pages.length; i++) {
            buffer.putLong(Pdir.PAGE_SIZE + i * Pdir.ENTRY_LENGTH, pages[i], ByteOrder.LITTLE_ENDIAN);
        }
    }

    long dma() {
        return memory.iova();
    }

    @Override
    public void close() {
        memory.close();
    }
}
