/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.driver.vfio;
import io.rdma4j.RdmaException;
import io.rdma4j.base.Undo;
import io.rdma4j.driver.libc.Fd;
import io.rdma4j.driver.libc.Libc;
import io.rdma4j.driver.libc.MappedMemory;
import java.lang.ref.Cleaner;
import java.nio.ByteBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * A part of a BAR, mapped into this process.
 *
 * <p>When the device is closed the mapping becomes ordinary memory at the same address, and is unmapped when nobody
 * holds its buffer any more: who writes a moment too late writes into nothing, and nothing keeps the device busy. That
 * memory is taken when the BAR is mapped, so that there is nothing left to be refused at the end. It is smaller than a
 * large BAR, which it fills again and again: nobody is to find there what he wrote.
 */
final class BarMapping {
    private static final Cleaner CLEANER = Cleaner.create();
    private static final long SMALL = 64 * 1024;
    /** Pieces that a window may be in when it is closed: the kernel counts mappings, and has a limit. */
    private static final long MAX_PIECES = 256;
    private static final int TRIES = 3;

    private final VfioDevice device;
    private final long offset;
    private final MappedMemory memory;
    private final Fd afterwards;
    private final long pieceLength;
    private final UnsafeBuffer buffer;

    private BarMapping(
        final VfioDevice device, final RegionInfo.Area area, final MappedMemory memory, final Fd afterwards,
        final ByteBuffer window) {
        this.device = device;
        this.offset = area.offset();
        this.memory = memory;
        this.afterwards = afterwards;
        this.pieceLength = pieceLength(memory.length());
        // The buffer keeps the ByteBuffer, and the ByteBuffer the mapping.
        CLEANER.register(window, memory::close);
        buffer = new UnsafeBuffer(window);
    }

    /**
     * Maps a part of a BAR. The kernel maps whole pages; a BAR below a page has one of its own where that is allowed.
     *
     * @param device has it.
     * @param region the BAR.
     * @param area   the part, whose beginning is aligned to pages.
     * @return the mapping.
     * @throws RdmaException as the kernel says; nothing stays mapped.
     */
    static BarMapping map(final VfioDevice device, final RegionInfo region, final RegionInfo.Area area) {
        try (Undo undo = new Undo()) {
            final MappedMemory memory = device.map(wholePages(area.size()), region.offset() + area.offset());
            undo.add(memory::close);
            final Fd afterwards = device.memory(pieceLength(memory.length()));
            undo.add(afterwards::close);
            final BarMapping mapping = new BarMapping(
                device, area, memory, afterwards, Libc.directBuffer(memory.address(), area.size()));
            undo.forget();
            return mapping;
        }
    }

    private static long wholePages(final long length) {
        final long page = Libc.pageSize();
        return (length + page - 1) / page * page;
    }

    private static long pieceLength(final long length) {
        return Math.min(length, Math.max(SMALL, wholePages((length + MAX_PIECES - 1) / MAX_PIECES)));
    }

    /** Whether a part can be mapped and be one buffer. */
    static boolean fits(final RegionInfo region, final RegionInfo.Area area) {
        return area.size() <= Integer.MAX_VALUE && area.size() >= Integer.BYTES
            && (region.offset() + area.offset()) % Libc.pageSize() == 0;
    }

    /** First byte, from the beginning of the BAR. */
    long offset() {
        return offset;
    }

    boolean covers(final long register) {
        return register >= offset && register - offset <= buffer.capacity() - Integer.BYTES;
    }

    UnsafeBuffer buffer() {
        return buffer;
    }

    /**
     * From now on this is memory of the process alone.
     *
     * @throws RdmaException if the kernel refuses again and again; what could not be replaced is still the device's,
     *                       which stays busy until nobody holds the buffer any more.
     */
    void replace() {
        try {
            for (long at = 0; at < memory.length(); at += pieceLength) {
                replace(memory.address() + at, Math.min(pieceLength, memory.length() - at));
            }
        } finally {
            afterwards.close();
        }
    }

    /** In place, never by unmapping first: somebody may be writing there now. */
    private void replace(final long address, final long length) {
        for (int tries = 1; ; tries++) {
            try {
                device.mapOver(address, length, afterwards);
                return;
            } catch (final RdmaException e) {
                if (tries == TRIES) {
                    throw e;
                }
            }
        }
    }
}
