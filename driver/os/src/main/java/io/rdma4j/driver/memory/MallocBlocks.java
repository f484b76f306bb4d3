/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.driver.memory;

import io.rdma4j.driver.libc.AddressSpace;
import io.rdma4j.driver.libc.Libc;
import io.rdma4j.driver.memory.MappingAreas.Area;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.ConcurrentSkipListSet;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Whether an address lies in a block for which glibc's malloc made a mapping of its own ({@code malloc/malloc.c},
 * sysmalloc_mmap): its first 16 bytes are 0 and the length with bit 1 set.
 *
 * <p>Mappings that touch are one for the kernel if they are alike, and one that was changed in part (mlock, madvise,
 * userfaultfd) is several. So a block that holds an address begins in any page below it, down to the first gap, or to
 * something that malloc never maps. Each of these pages is looked at; what cannot be looked at may be malloc's.
 */
final class MallocBlocks {
    static final String BLOCK = "this is a large block of malloc, which is freed through it";
    /** Of what is looked through below an address, in bytes; about 0.1 us for each page of it. */
    static final long FARTHEST = 512L << 20;
    private static final int HEADER = 2 * Long.BYTES;
    private static final int PAGES_AT_ONCE = 512;
    private static final long IS_MMAPPED = 2;
    private static final long FLAGS = 7;
    private static final long NONE = 0;
    private static final long UNREADABLE = -1;
    /** Headers that were found, so that they are found again at once; whether they are still there is looked at. */
    private static final ConcurrentSkipListSet<Long> FOUND = new ConcurrentSkipListSet<>();
    private static final int MOST_FOUND = 1024;
    private static final int NEAREST = 4;

    private final UnsafeBuffer headers = new UnsafeBuffer(ByteBuffer.allocateDirect(PAGES_AT_ONCE * HEADER));
    private final long page = Libc.pageSize();
    private final MappingAreas all;

    MallocBlocks(final MappingAreas all) {
        this.all = all;
    }

    /**
     * Null if it is certain that no byte of a range, which is in one mapping, belongs to such a block.
     *
     * @param proven what lies right below this address is known not to be malloc's, so that no block which began there
     *               reaches the range; 0 if nothing is known
     */
    String refusal(final long from, final long to, final long proven) {
        if (knownAt(from)) {
            return BLOCK;
        }
        final long first = from & -page;
        // A block may as well begin within the range, behind a mapping of somebody else's.
        final String within = verdict(lookDown(to - 1 & -page, first + page, 0));
        return within == null ? below(first, from, proven) : within;
    }

    private boolean knownAt(final long address) {
        Long head = FOUND.floor(address);
        for (int i = 0; i < NEAREST && head != null; i++) {
            if (lookDown(head, head, address) > 0) {
                return true;
            }
            if (lookDown(head, head, head) <= 0) {
                FOUND.remove(head);
            }
            head = FOUND.lower(head);
        }
        return false;
    }

    private String below(final long first, final long address, final long proven) {
        final List<Area> areas = all.touchingBelow(first);
        // Malloc writes and reads its headers.
        areas.removeIf(area -> area.rights().charAt(0) != 'r');
        long bytes = 0;
        for (final Area area : areas) {
            bytes += Math.max(0, Math.min(first + page, area.to()) - Math.max(area.from(), proven));
        }
        if (bytes > FARTHEST) {
            return String.format("it is not known whether this belongs to malloc: %d MiB of private memory lie right "
                + "below, and a block may begin anywhere there; map it with a gap below, or shared", bytes >> 20);
        }
        for (final Area area : areas) {
            final String verdict = verdict(lookDown(Math.min(first, area.to() - page), Math.max(area.from(), proven),
                address));
            if (verdict != null) {
                return verdict;
            }
        }
        return null;
    }

    private static String verdict(final long found) {
        if (found == NONE) {
            return null;
        }
        return found == UNREADABLE ? "it cannot be found out whether malloc owns this memory, as some of what lies "
            + "below cannot be read" : BLOCK;
    }

    /** Where a block begins that reaches the address; NONE; or UNREADABLE. Both pages are looked at, too. */
    private long lookDown(final long highest, final long lowest, final long address) {
        long at = highest;
        while (at >= lowest) {
            final int pages = (int) Math.min(PAGES_AT_ONCE, (at - lowest) / page + 1);
            headers.wrap(headers.byteBuffer(), 0, pages * HEADER);
            final int read = AddressSpace.peek(at, -page, HEADER, headers);
            for (int i = 0; i < read; i++) {
                if (begins(i * HEADER, at - i * page, address)) {
                    remember(at - i * page);
                    return at - i * page;
                }
            }
            if (read < pages) {
                return UNREADABLE;
            }
            at -= pages * page;
        }
        return NONE;
    }

    private boolean begins(final int header, final long start, final long address) {
        final long word = headers.getLong(header + Long.BYTES);
        final long size = word & ~FLAGS;
        return headers.getLong(header) == 0 && (word & FLAGS) == IS_MMAPPED && size > 0 && (size & page - 1) == 0
            && address - start < size && isMapped(start, size);
    }

    /** A block is there as a whole. Much looks like a header, such as the numbers 0, 2 and 1: 4 GiB from there on. */
    private boolean isMapped(final long start, final long size) {
        final long end = start + size;
        long covered = start;
        for (final Area area : end < start ? List.<Area>of() : all.overlapping(start, end)) {
            if (area.from() > covered) {
                return false;
            }
            covered = area.to();
        }
        return end > start && covered >= end;
    }

    private static void remember(final long head) {
        if (FOUND.size() >= MOST_FOUND) {
            FOUND.clear();
        }
        FOUND.add(head);
    }
}
