/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.memory;

import static io.rdma4j.driver.memory.ProcessMaps.PAGE_SIZE;

import io.rdma4j.RdmaException;
import io.rdma4j.driver.libc.Libc;
import io.rdma4j.driver.libc.LibcConstants;

/**
 * Whether pages of this process are there, asked of the kernel in the only way that leaves no doubt: it brings them in
 * as a touch would, and says where it cannot (madvise(2), MADV_POPULATE_READ and MADV_POPULATE_WRITE). Linux before
 * 5.14 does not know how: there the list of mappings has to do.
 */
public final class Presence {
    /** A hole is looked for in such pieces first. */
    private static final long PIECE = 512L * PAGE_SIZE;

    private Presence() {
    }

    /**
     * Brings pages in, and names the first that cannot be.
     *
     * @param address first byte, page-aligned.
     * @param length  bytes, whole pages.
     * @param write   whether they must be writable, too.
     * @return a sentence about the first page that is missing; null if none is.
     */
    public static String firstMissing(final long address, final long length, final boolean write) {
        final String hole = ProcessMaps.firstHole(address, length, write);
        if (hole != null) {
            return hole;
        }
        return firstUnbacked(address, length, write);
    }

    /**
     * The same without a look at the list of mappings, which costs more than bringing in a few pages that are there:
     * memory that is mapped without the rights does not count as missing.
     *
     * @param address first byte, page-aligned.
     * @param length  bytes, whole pages.
     * @param write   whether they are to be written.
     * @return a sentence about the first page that is missing; null if none is.
     */
    public static String firstUnbacked(final long address, final long length, final boolean write) {
        final int advice = write ? LibcConstants.MADV_POPULATE_WRITE : LibcConstants.MADV_POPULATE_READ;
        final RdmaException refusal = populate(address, length, advice);
        if (refusal == null || !isAboutPages(refusal)) {
            return null;
        }
        final long page = firstIn(firstIn(address, address + length, PIECE, advice), address + length, PAGE_SIZE,
            advice);
        // It may have come meanwhile; what the kernel said first counts.
        final String now = ProcessMaps.firstHole(page, PAGE_SIZE, write);
        return now != null ? now : String.format("0x%x cannot be brought in: %s", page, refusal.getMessage());
    }

    /** The mappings were looked at before: EINVAL is a kernel that does not know the advice, or memory of a device. */
    private static boolean isAboutPages(final RdmaException refusal) {
        return refusal.errno() != RdmaException.EINVAL && refusal.errno() != RdmaException.EOPNOTSUPP;
    }

    private static long firstIn(final long start, final long end, final long step, final int advice) {
        long at = start;
        while (end - at > step && populate(at, step, advice) == null) {
            at += step;
        }
        return at;
    }

    private static RdmaException populate(final long address, final long length, final int advice) {
        try {
            Libc.madvise(address, length, advice);
            return null;
        } catch (final RdmaException e) {
            return e;
        }
    }
}
