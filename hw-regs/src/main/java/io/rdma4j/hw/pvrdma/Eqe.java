/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.pvrdma;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

import io.rdma4j.hw.layout.Layout;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * An element of the asynchronous event ring, {@code struct pvrdma_eqe}.
 */
public final class Eqe {
    /** Offset of {@code type}. */
    public static final int TYPE_OFFSET = 0;
    /** Offset of {@code info}. */
    public static final int INFO_OFFSET = TYPE_OFFSET + 4;
    /** Bytes of the struct. */
    public static final int LENGTH = INFO_OFFSET + 4;

    /** What the struct looks like. */
    public static final Layout LAYOUT = Layout.of("pvrdma_eqe", LENGTH)
        .u32("type", TYPE_OFFSET, EventType.NAMES)
        .u32("info", INFO_OFFSET)
        .build();

    private Eqe() {
    }

    /**
     * {@return the {@link EventType}}
     *
     * @param b    buffer
     * @param base where the element begins
     */
    public static int type(UnsafeBuffer b, int base) {
        return b.getInt(base + TYPE_OFFSET, LITTLE_ENDIAN);
    }

    /**
     * Sets {@code type}.
     *
     * @param b     buffer
     * @param base  where the element begins
     * @param value the {@link EventType}
     */
    public static void type(UnsafeBuffer b, int base, int value) {
        b.putInt(base + TYPE_OFFSET, value, LITTLE_ENDIAN);
    }

    /**
     * {@return the handle or port that it happened to}
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
     * @param value the handle or port that it happened to
     */
    public static void info(UnsafeBuffer b, int base, int value) {
        b.putInt(base + INFO_OFFSET, value, LITTLE_ENDIAN);
    }
}
