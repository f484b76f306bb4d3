/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.vfiouser;

import io.rdma4j.RdmaException;
import io.rdma4j.base.Undo;
import io.rdma4j.driver.libc.Fd;
import io.rdma4j.driver.libc.FileCalls;
import io.rdma4j.driver.libc.LibcConstants;
import io.rdma4j.driver.libc.MappedMemory;
import io.rdma4j.driver.pci.DmaDomain;

import java.util.Iterator;
import java.util.Map;
import java.util.TreeMap;

/**
 * The client's map of bus addresses, and what of it the device reaches: pieces that are writable and come with a file.
 * Other pieces (ROMs, memory of other devices) are only known, as no device stores there.
 *
 * <p>The device touches guest memory by plain loads and stores, where a page that is missing is a signal. So a file is
 * taken only if no page of it can go away: a memfd that is sealed against shrinking, or can be sealed, of pages of the
 * usual size, as long as the piece. (A hole that is punched into one of huge pages needs a new page from a pool that
 * may be empty.)
 *
 * <p>For the server's thread alone.
 */
final class GuestMemory {
    /** Each may take a mapping of the process, of which there are 65,530. */
    static final int MAX_PIECES = 8192;
    /** The address space of the process has 128 TiB. */
    static final long MAX_BYTES = 1L << 42;

    private static final int ENOSPC = 28;
    private static final long PAGE_MASK = DmaDomain.PAGE_SIZE - 1;
    private static final int READ_WRITE = LibcConstants.PROT_READ | LibcConstants.PROT_WRITE;

    private final ServedFunction device;
    private final TreeMap<Long, Piece> pieces = new TreeMap<>();
    private long reachable;

    /** Memory is null for what the device does not reach. */
    private record Piece(long iova, long size, MappedMemory memory) {
        long last() {
            return iova + size - 1;
        }
    }

    GuestMemory(ServedFunction device) {
        this.device = device;
    }

    /** Enters a piece that the device does not reach. */
    void know(long iova, long size) {
        check(iova, size);
        pieces.put(iova, new Piece(iova, size, null));
    }

    /** Enters a piece, and lets the device reach it. The file is still the caller's. */
    void map(Fd file, long offset, long iova, long size) {
        check(iova, size);
        if (size > MAX_BYTES - reachable) {
            throw refused(iova, size, ENOSPC, "%d bytes are mapped, and at most %d can be", reachable, MAX_BYTES);
        }
        final MappedMemory memory = open(file, offset, iova, size);
        try (Undo undo = new Undo()) {
            undo.add(memory::close);
            device.mapMemory(iova, memory.address(), size);
            undo.forget();
        }
        pieces.put(iova, new Piece(iova, size, memory));
        reachable += size;
    }

    private void check(long iova, long size) {
        if (size <= 0 || iova < 0 || iova + size < 0 || ((iova | size) & PAGE_MASK) != 0) {
            throw refused(iova, size, RdmaException.EINVAL, "it is not of whole pages below 2^63");
        }
        final Map.Entry<Long, Piece> before = pieces.floorEntry(iova + size - 1);
        if (before != null && before.getValue().last() >= iova) {
            throw refused(iova, size, RdmaException.EEXIST, "it overlaps 0x%x, of 0x%x bytes", before.getKey(),
                before.getValue().size());
        }
        if (pieces.size() == MAX_PIECES) {
            throw refused(iova, size, ENOSPC, "there are %d pieces, as many as there can be", MAX_PIECES);
        }
    }

    private static MappedMemory open(Fd file, long offset, long iova, long size) {
        if (offset < 0 || (offset & PAGE_MASK) != 0 || offset + size < 0) {
            throw refused(iova, size, RdmaException.EINVAL, "offset 0x%x is none of a page", offset);
        }
        seal(file, iova, size);
        final long length = FileCalls.seekEnd(file.fd());
        if (length < offset + size) {
            throw refused(iova, size, RdmaException.EINVAL, "the file ends at 0x%x, before 0x%x", length,
                offset + size);
        }
        requireUsualPages(file, iova, size);
        return MappedMemory.map(0, size, READ_WRITE, LibcConstants.MAP_SHARED, file.fd(), offset);
    }

    private static void seal(Fd file, long iova, long size) {
        try {
            if ((FileCalls.seals(file.fd()) & LibcConstants.F_SEAL_SHRINK) == 0) {
                FileCalls.addSeals(file.fd(), LibcConstants.F_SEAL_SHRINK);
            }
        } catch (final RdmaException e) {
            throw refused(iova, size, RdmaException.EPERM, "it can be cut off while the device uses it: its file is no "
                + "memfd with seals (%s)", e.getMessage());
        }
    }

    /** A file of huge pages cannot be mapped from its second small page on. */
    private static void requireUsualPages(Fd file, long iova, long size) {
        try {
            MappedMemory.map(0, DmaDomain.PAGE_SIZE, LibcConstants.PROT_READ, LibcConstants.MAP_SHARED, file.fd(),
                DmaDomain.PAGE_SIZE).close();
        } catch (final RdmaException e) {
            throw refused(iova, size, RdmaException.EPERM, "its file is of huge pages, of which one can be missing "
                + "(%s)", e.getMessage());
        }
    }

    private static RdmaException refused(long iova, long size, int errno, String why, Object... args) {
        return RdmaException.of("map guest memory").object(String.format("0x%x, 0x%x bytes", iova, size))
            .detail(why, args).errno(errno)
            .hint("for QEMU: -object memory-backend-memfd,share=on, without hugetlb=on and seal=off").build();
    }

    /**
     * Ends all pieces in a range. That there are none is no failure: clients end ranges in which nothing was mapped.
     *
     * @return bytes that were mapped there.
     */
    long unmap(long iova, long size) {
        final long last = iova + size - 1;
        if (size == 0 || ((iova | size) & PAGE_MASK) != 0 || Long.compareUnsigned(last, iova) < 0) {
            throw notUnmapped(iova, size, "it is not of whole pages below 2^64");
        }
        final long end = last < 0 ? Long.MAX_VALUE : last;
        if (iova < 0) {
            return 0;
        }
        final Map.Entry<Long, Piece> before = pieces.lowerEntry(iova);
        final Map.Entry<Long, Piece> atEnd = pieces.floorEntry(end);
        if (before != null && before.getValue().last() >= iova || atEnd != null && atEnd.getValue().last() > end) {
            throw notUnmapped(iova, size, "a piece is only in part inside");
        }
        return end(pieces.subMap(iova, true, end, true));
    }

    private static RdmaException notUnmapped(long iova, long size, String why) {
        return RdmaException.of("unmap guest memory").object(String.format("0x%x, 0x%x bytes", iova, size))
            .detail("%s", why).errno(RdmaException.EINVAL).build();
    }

    private long end(Map<Long, Piece> some) {
        long ended = 0;
        for (final Iterator<Piece> each = some.values().iterator(); each.hasNext();) {
            final Piece piece = each.next();
            if (piece.memory() != null) {
                // If that fails the device has it still, and it stays to be ended.
                device.unmapMemory(piece.iova(), piece.size());
                reachable -= piece.size();
            }
            each.remove();
            if (piece.memory() != null) {
                piece.memory().close();
            }
            ended += piece.size();
        }
        return ended;
    }

    /** Ends all. */
    long unmapAll() {
        return end(pieces);
    }

    int pieces() {
        return pieces.size();
    }

    @Override
    public String toString() {
        return pieces.size() + " pieces of memory, " + reachable + " bytes of them within reach";
    }
}
