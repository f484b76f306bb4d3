/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.replay;

import io.rdma4j.driver.pci.DmaDomain;
import io.rdma4j.driver.pci.DmaMemory;
import io.rdma4j.hw.pvrdma.Pdir;

import org.agrona.concurrent.UnsafeBuffer;

import java.nio.ByteOrder;

/** A page directory with as many tables as it needs. */
final class RawDirectory implements AutoCloseable {
    private final DmaMemory memory;

    RawDirectory(final DmaDomain dma, final long... pages) {
        if (pages.length > Pdir.MAX_PAGES) {
            throw new IllegalArgumentException(pages.length + " pages: a directory names " + Pdir.MAX_PAGES);
        }
        final int tables = Math.max(1, (pages.length + Pdir.ENTRIES - 1) / Pdir.ENTRIES);
        memory = dma.allocate((1L + tables) * Pdir.PAGE_SIZE);
        final UnsafeBuffer buffer = memory.buffer();
        for (int i = 0; i < tables; i++) {
            buffer.putLong(
                i * Pdir.ENTRY_LENGTH, memory.iova((1L + i) * Pdir.PAGE_SIZE), ByteOrder.LITTLE_ENDIAN);
        }
        // The tables stand behind one another, so that their entries count on.
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
