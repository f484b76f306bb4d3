/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.BitSet;

/** Which pages of this process are locked, as the kernel says. */
final class LockedPages {
    private static final int PAGE = 4096;

    private LockedPages() {
    }

    static boolean isLocked(final long address) {
        return !in(address, 1).isEmpty();
    }

    /** Of those from an address on. */
    static BitSet in(final long address, final int pages) {
        final BitSet locked = new BitSet();
        int from = 0;
        int to = 0;
        try {
            for (final String line : Files.readAllLines(Path.of("/proc/self/smaps"))) {
                final int dash = line.indexOf('-');
                final int blank = line.indexOf(' ');
                if (dash > 0 && dash < blank) {
                    from = page(Long.parseUnsignedLong(line, 0, dash, 16), address, pages);
                    to = page(Long.parseUnsignedLong(line, dash + 1, blank, 16), address, pages);
                } else if (from < to && line.startsWith("VmFlags:")) {
                    locked.set(from, to, line.matches(".*\\blo\\b.*"));
                }
            }
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
        return locked;
    }

    /** Addresses of the upper half are the kernel's: greater than all others. */
    private static int page(final long at, final long address, final int pages) {
        return at < 0 ? pages : (int) Math.max(0, Math.min(pages, Math.floorDiv(at - (address & -PAGE), PAGE)));
    }
}
