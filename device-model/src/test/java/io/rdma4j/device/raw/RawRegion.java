/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.raw;

import io.rdma4j.driver.pci.DmaMemory;
import io.rdma4j.hw.pvrdma.Pdir;

import org.agrona.concurrent.UnsafeBuffer;

import java.util.Arrays;

/** Registered memory, mostly of scattered pages. */
public final class RawRegion {
    private static final long FIRST_ADDRESS = 0x6666_0000_0000L;

    public int handle;
    public int lkey;
    public int rkey;
    private final DmaMemory[] pages;
    private final UnsafeBuffer[] buffers;
    private final long pdir;
    private final int offset;
    private final int length;

    RawRegion(RawDriver driver, int length, int offset) {
        this.offset = offset;
        this.length = length;
        pages = new DmaMemory[(int) Pdir.pagesSpanned(offset, length)];
        buffers = new UnsafeBuffer[pages.length];
        final long[] iovas = new long[pages.length];
        for (int i = pages.length - 1; i >= 0; i--) {
            pages[i] = driver.page();
            buffers[i] = pages[i].buffer();
            iovas[i] = pages[i].iova();
        }
        pdir = driver.pdir(iovas);
    }

    /** Pages in a row, from the first byte on; nothing of it is allocated behind them. */
    RawRegion(RawDriver driver, int length) {
        this.offset = 0;
        this.length = length;
        pages = new DmaMemory[(int) Pdir.pagesSpanned(0, length)];
        buffers = new UnsafeBuffer[pages.length];
        pdir = driver.pdir(pages.length, () -> {
            Arrays.fill(pages, driver.allocate(pages.length));
            final long[] iovas = new long[pages.length];
            for (int i = 0; i < pages.length; i++) {
                buffers[i] = new UnsafeBuffer(pages[0].buffer(), i * Pdir.PAGE_SIZE, Pdir.PAGE_SIZE);
                iovas[i] = pages[0].iova() + (long) i * Pdir.PAGE_SIZE;
            }
            return iovas;
        });
    }

    private RawRegion(DmaMemory page, long pdir, int length) {
        this.offset = 0;
        this.length = length;
        this.pdir = pdir;
        pages = new DmaMemory[] {page};
        buffers = new UnsafeBuffer[] {page.buffer()};
    }

    /** One page, as often as wanted. */
    static RawRegion repeating(RawDriver driver, int count) {
        final DmaMemory page = driver.page();
        return new RawRegion(page, driver.repeatingPdir(page.iova(), page.iova()), count * Pdir.PAGE_SIZE);
    }

    RawRegion keys(int newHandle, int newLkey, int newRkey) {
        handle = newHandle;
        lkey = newLkey;
        rkey = newRkey;
        return this;
    }

    public long start() {
        return FIRST_ADDRESS + offset;
    }

    public int length() {
        return length;
    }

    public int pages() {
        return (int) Pdir.pagesSpanned(offset, length);
    }

    public long pdir() {
        return pdir;
    }

    public DmaMemory memory(int page) {
        return pages[page];
    }

    private UnsafeBuffer page(int place) {
        return buffers[place / Pdir.PAGE_SIZE % buffers.length];
    }

    public byte get(int at) {
        final int place = offset + at;
        return page(place).getByte(place % Pdir.PAGE_SIZE);
    }

    public void put(int at, int value) {
        final int place = offset + at;
        page(place).putByte(place % Pdir.PAGE_SIZE, (byte) value);
    }

    public long getLong(int at) {
        final int place = offset + at;
        return page(place).getLong(place % Pdir.PAGE_SIZE);
    }

    public void putLong(int at, long value) {
        final int place = offset + at;
        page(place).putLong(place % Pdir.PAGE_SIZE, value);
    }

    /** A pattern that differs from byte to byte and from seed to seed. */
    public void fill(int seed) {
        for (int i = 0; i < length; i++) {
            put(i, pattern(seed, i));
        }
    }

    public static int pattern(int seed, int i) {
        return (seed * 31 + i * 7 + (i >>> 8)) & 0xff;
    }

    public byte[] bytes(int at, int count) {
        final byte[] copy = new byte[count];
        for (int i = 0; i < count; i++) {
            copy[i] = get(at + i);
        }
        return copy;
    }
}
