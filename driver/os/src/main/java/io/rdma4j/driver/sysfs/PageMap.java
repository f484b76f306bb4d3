/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.sysfs;

import io.rdma4j.RdmaException;
import io.rdma4j.driver.libc.Fd;
import io.rdma4j.driver.libc.Libc;
import io.rdma4j.driver.libc.LibcConstants;

import java.nio.ByteBuffer;
import java.nio.file.Path;

import org.agrona.concurrent.UnsafeBuffer;

/**
 * Where the pages of a process are in the machine's memory, by {@code /proc/PID/pagemap}: 64 bits for each page, of
 * which bit 63 says that it is present, bit 62 that it is swapped out, and bits 0 to 54 are its frame. Linux shows
 * frames to CAP_SYS_ADMIN only, and 0 to others (Documentation/admin-guide/mm/pagemap.rst). For one thread.
 */
public final class PageMap implements AutoCloseable {
    /** Instead of an address: nobody asked. */
    public static final long NOT_ASKED = -1;
    /** Instead of an address: there is no right to know it. {@link #refusal()} says more. */
    public static final long NO_RIGHT = -2;
    /** Instead of an address: no page is there, or none that was touched yet. */
    public static final long ABSENT = -3;
    /** Instead of an address: the page is swapped out. */
    public static final long SWAPPED = -4;

    private static final long PRESENT_BIT = 1L << 63;
    private static final long SWAPPED_BIT = 1L << 62;
    private static final long FRAME_MASK = (1L << 55) - 1;
    private static final int WINDOW = 8192;

    private final UnsafeBuffer window = new UnsafeBuffer(ByteBuffer.allocateDirect(WINDOW * Long.BYTES));
    private final int pageSize;
    /** Not a channel, which an interrupt of the thread would close. */
    private final Fd file;
    private long windowPage = -1;
    private int windowLength;
    private String refusal;

    /**
     * Opens a map.
     *
     * @param path     {@code /proc/PID/pagemap}.
     * @param pageSize of the machine.
     */
    public PageMap(final Path path, final int pageSize) {
        this.pageSize = pageSize;
        file = open(path);
    }

    /**
     * The map of a process.
     *
     * @param pid which.
     * @return its map, which may refuse to tell anything.
     */
    public static PageMap of(final long pid) {
        return new PageMap(Path.of("/proc", Long.toString(pid), "pagemap"), Math.toIntExact(Libc.pageSize()));
    }

    private Fd open(final Path path) {
        try {
            return Fd.open(path.toString(), LibcConstants.O_RDONLY);
        } catch (final RdmaException e) {
            refusal = "no right to see physical addresses: " + path + " cannot be opened (" + why(e) + ")";
            return null;
        }
    }

    private static String why(final RdmaException e) {
        if (e.errno() == RdmaException.ENOENT) {
            return "there is no such process";
        }
        return e.errno() == RdmaException.EACCES ? "permission denied" : e.getMessage();
    }

    /**
     * Where a byte is in the machine's memory.
     *
     * @param address as the process sees it.
     * @return a physical address, or one of the negative numbers of this class.
     */
    public long physical(final long address) {
        if (refusal != null || address <= 0) {
            return refusal == null ? ABSENT : NO_RIGHT;
        }
        final long word = word(address / pageSize);
        if ((word & PRESENT_BIT) == 0) {
            return (word & SWAPPED_BIT) == 0 ? ABSENT : SWAPPED;
        }
        final long frame = word & FRAME_MASK;
        if (frame == 0) {
            refusal = "no right to see physical addresses: that takes CAP_SYS_ADMIN (run as root)";
            return NO_RIGHT;
        }
        return frame * pageSize + address % pageSize;
    }

    private long word(final long page) {
        if (windowPage < 0 || page < windowPage || page >= windowPage + windowLength / Long.BYTES) {
            read(page);
        }
        final long at = (page - windowPage) * Long.BYTES;
        return at + Long.BYTES <= windowLength ? window.getLong((int) at) : 0;
    }

    private void read(final long page) {
        windowPage = page;
        windowLength = 0;
        try {
            windowLength = Libc.pread(file.fd(), window, window.capacity(), page * Long.BYTES);
        } catch (final RdmaException e) {
            // EINVAL is said of addresses that no process has: nothing is there, and others are told all the same.
            if (e.errno() == RdmaException.EPERM || e.errno() == RdmaException.EACCES) {
                refusal = "no right to see physical addresses: " + e.getMessage();
            }
        }
    }

    /**
     * Why there are no physical addresses.
     *
     * @return a sentence; null if they can be told, as far as is known.
     */
    public String refusal() {
        return refusal;
    }

    @Override
    public void close() {
        if (file != null) {
            file.close();
        }
    }
}
