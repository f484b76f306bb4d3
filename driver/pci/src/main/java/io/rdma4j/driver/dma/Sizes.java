/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.dma;

/** Numbers of bytes as people write them. */
final class Sizes {
    private static final String[] UNITS = {"bytes", "KiB", "MiB", "GiB", "TiB"};

    private Sizes() {
    }

    /** Exactly, in the largest unit that has no fraction. */
    static String text(final long bytes) {
        long value = bytes;
        int unit = 0;
        while (unit < UNITS.length - 1 && value != 0 && value % 1024 == 0) {
            value /= 1024;
            unit++;
        }
        return value + " " + UNITS[unit];
    }
}
