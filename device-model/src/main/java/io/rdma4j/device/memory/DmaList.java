/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.memory;

import io.rdma4j.device.common.Padded;

import org.agrona.UnsafeApi;

/**
 * The memory of one work request: pieces of regions, checked and in order, with a cursor. Reused from request to
 * request; belongs to the queue that fills it, and is read under that queue's lock.
 */
public final class DmaList extends Padded {
    private final PageTable[] tables;
    private final long[] offsets;
    private final long[] lengths;
    private int count;
    private long length;
    private int piece;
    private long done;

    /**
     * An empty list.
     *
     * @param capacity pieces at most.
     */
    public DmaList(int capacity) {
        tables = new PageTable[capacity];
        offsets = new long[capacity];
        lengths = new long[capacity];
    }

    /** Makes it empty. */
    public void clear() {
        count = 0;
        length = 0;
        rewind();
    }

    /**
     * Adds a piece that lies inside of a table.
     *
     * @param table  translates.
     * @param offset first byte, as {@link PageTable#host} counts.
     * @param bytes  above 0.
     */
    public void add(PageTable table, long offset, long bytes) {
        if (tables[count] != table) {
            // Mostly the same as last time; a reference that is not stored costs no barrier of the garbage collector.
            tables[count] = table;
        }
        offsets[count] = offset;
        lengths[count] = bytes;
        count++;
        length += bytes;
    }

    /**
     * {@return how many bytes all pieces have}
     */
    public long length() {
        return length;
    }

    /** Moves the cursor to the first byte. */
    public void rewind() {
        piece = 0;
        done = 0;
    }

    /**
     * Copies from cursor to cursor and moves both.
     *
     * @param from  source.
     * @param to    destination.
     * @param bytes at most what both have left.
     * @return false if a page went away meanwhile, which only pages of a table that translates at each use do.
     */
    public static boolean copy(DmaList from, DmaList to, long bytes) {
        long left = bytes;
        while (left > 0) {
            final long run = to.run(from.run(left));
            if (run == 0) {
                return false;
            }
            HostMemory.copy(from.host(), to.host(), run);
            from.skip(run);
            to.skip(run);
            left -= run;
        }
        return true;
    }

    /**
     * Writes bytes of the device itself at the cursor and moves it.
     *
     * @param address of the bytes in this process.
     * @param bytes   at most what the list has left.
     * @return false if a page went away meanwhile.
     */
    public boolean put(long address, int bytes) {
        int at = 0;
        while (at < bytes) {
            final long run = run(bytes - at);
            if (run == 0) {
                return false;
            }
            HostMemory.copy(address + at, host(), run);
            skip(run);
            at += (int) run;
        }
        return true;
    }

    /**
     * Writes a 64-bit value at the cursor and moves it.
     *
     * @param value   little endian.
     * @param scratch 8 bytes of the device itself.
     * @return false if a page went away meanwhile.
     */
    public boolean putLong(long value, long scratch) {
        UnsafeApi.putLong(scratch, value);
        return put(scratch, Long.BYTES);
    }

    /**
     * {@return the host address of the byte at the cursor; 0 if it went away}
     */
    public long host() {
        return tables[piece].host(offsets[piece] + done);
    }

    private long run(long wanted) {
        return wanted == 0 ? 0 : tables[piece].run(offsets[piece] + done, Math.min(wanted, lengths[piece] - done));
    }

    private void skip(long bytes) {
        done += bytes;
        if (done == lengths[piece]) {
            piece++;
            done = 0;
        }
    }
}
