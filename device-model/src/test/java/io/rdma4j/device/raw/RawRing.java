/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.raw;

import io.rdma4j.driver.pci.DmaMemory;
import io.rdma4j.hw.pvrdma.Pdir;

import org.agrona.concurrent.UnsafeBuffer;

import java.util.Arrays;

/** Ring memory of single pages, none beside the other. */
public final class RawRing {
    private final DmaMemory[] pages;
    private final UnsafeBuffer[] buffers;
    private final long pdir;

    public RawRing(RawDriver driver, int count) {
        pages = new DmaMemory[count];
        buffers = new UnsafeBuffer[count];
        final long[] iovas = new long[count];
        for (int i = count - 1; i >= 0; i--) {
            pages[i] = driver.page();
            buffers[i] = pages[i].buffer();
            iovas[i] = pages[i].iova();
        }
        pdir = driver.pdir(iovas);
    }

    private RawRing(RawDriver driver, DmaMemory state, DmaMemory page, int count) {
        pages = new DmaMemory[count];
        buffers = new UnsafeBuffer[count];
        Arrays.fill(pages, page);
        Arrays.fill(buffers, page.buffer());
        pages[0] = state;
        buffers[0] = state.buffer();
        pdir = driver.repeatingPdir(state.iova(), page.iova());
    }

    /** Of a page for the indices, and one for all others, which cost the driver nothing. */
    static RawRing repeating(RawDriver driver, int count) {
        return new RawRing(driver, driver.page(), driver.page(), count);
    }

    public long pdir() {
        return pdir;
    }

    public int pages() {
        return pages.length;
    }

    public DmaMemory memory(int page) {
        return pages[page];
    }

    public UnsafeBuffer state() {
        return buffers[0];
    }

    /** The page of an element. */
    public UnsafeBuffer page(int firstPage, int slot, int stride) {
        return buffers[firstPage + slot * stride / Pdir.PAGE_SIZE];
    }

    public static int offset(int slot, int stride) {
        return slot * stride % Pdir.PAGE_SIZE;
    }
}
