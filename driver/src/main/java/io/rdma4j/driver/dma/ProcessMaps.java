/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.dma;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * The mappings of this process, as Linux tells them in {@code /proc/self/maps}: what stands between a mistyped address
 * and a crash of the JVM.
 */
public final class ProcessMaps {
    private static final Path MAPS = Path.of("/proc/self/maps");

    private ProcessMaps() {
    }

    /**
     * Looks for the first byte of a range that cannot be used.
     *
     * @param address of the first byte.
     * @param length  bytes.
     * @param write   whether it must be writable, too.
     * @return a sentence that names it; null if there is none, or on a system that does not tell.
     */
    public static String firstHole(final long address, final long length, final boolean write) {
        final List<String> maps;
        try {
            maps = Files.readAllLines(MAPS);
        } catch (final IOException e) {
            return null;
        }
        return firstHole(maps, address, length, write);
    }

    static String firstHole(final List<String> maps, final long address, final long length, final boolean write) {
        long covered = address;
        final long end = address + length;
        for (final String line : maps) {
            final int dash = line.indexOf('-');
            final int blank = line.indexOf(' ', dash);
            final long from = Long.parseUnsignedLong(line, 0, dash, 16);
            final long to = Long.parseUnsignedLong(line, dash + 1, blank, 16);
            if (Long.compareUnsigned(to, covered) <= 0) {
                continue;
            }
            if (Long.compareUnsigned(from, covered) > 0) {
                break;
            }
            if (line.charAt(blank + 1) != 'r') {
                return String.format("0x%x is not readable in this process (%s)", covered, line);
            }
            if (write && line.charAt(blank + 2) != 'w') {
                return String.format("0x%x is not writable in this process (%s)", covered, line);
            }
            covered = to;
            if (Long.compareUnsigned(covered, end) >= 0) {
                return null;
            }
        }
        return String.format("0x%x is not mapped in this process", covered);
    }
}
