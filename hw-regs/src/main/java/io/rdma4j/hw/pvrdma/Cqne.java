/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.pvrdma;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

import io.rdma4j.hw.layout.Layout;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * An element of the CQ notification ring, {@code struct pvrdma_cqne}.
 */
public final class Cqne {
    /** Offset of {@code info}. */
    public static final int INFO_OFFSET = 0;
    /** Bytes of the struct. */
    public static final int LENGTH = INFO_OFFSET + 4;

    /** What the struct looks like. */
    public static final Layout LAYOUT = Layout.of("pvrdma_cqne", LENGTH)
        .u32("info", INFO_OFFSET)
        .build();

    private Cqne() {
    }

    /**
     * {@return the handle of the CQ that has completions}
     *
     * @param b    buffer
     * @param base where the element begins
     */
    public static int info(UnsafeBuffer b, int base) {
        return b.getInt(base + INFO_OFFSET, LITTLE_ENDIAN);
    }

    /**
     * Sets {@code info}.
     *
     * @param b     buffer
     * @param base  where the element begins
     * @param value the handle of the CQ that has completions
     */
    public static void info(UnsafeBuffer b, int base, int value) {
        b.putInt(base + INFO_OFFSET, value, LITTLE_ENDIAN);
    }
}
