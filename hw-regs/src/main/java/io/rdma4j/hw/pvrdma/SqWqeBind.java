/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.pvrdma;

import io.rdma4j.hw.layout.Words;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The part of {@link SqWqe} for binding a memory window. The pvrdma interface has the opcode but no layout for it; this
 * one is an extension of this project's own device, see {@link ExtensionFlags#RDMA4J_EXT_MEMORY_WINDOWS}.
 */
abstract class SqWqeBind extends SqWqeUnions {
    /** Offset of {@code wr.bind.addr}. */
    public static final int BIND_ADDR_OFFSET = UNION_OFFSET;
    /** Offset of {@code wr.bind.length}. */
    public static final int BIND_LENGTH_OFFSET = BIND_ADDR_OFFSET + 8;
    /** Offset of {@code wr.bind.mw_rkey}. */
    public static final int BIND_MW_RKEY_OFFSET = BIND_LENGTH_OFFSET + 8;
    /** Offset of {@code wr.bind.new_rkey}. */
    public static final int BIND_NEW_RKEY_OFFSET = BIND_MW_RKEY_OFFSET + 4;
    /** Offset of {@code wr.bind.mr_lkey}. */
    public static final int BIND_MR_LKEY_OFFSET = BIND_NEW_RKEY_OFFSET + 4;
    /** Offset of {@code wr.bind.access_flags}. */
    public static final int BIND_ACCESS_OFFSET = BIND_MR_LKEY_OFFSET + 4;

    SqWqeBind() {
    }

    /**
     * {@return the first byte that the window shall show}
     *
     * @param b    buffer
     * @param base where the WQE begins
     */
    public static long bindAddr(UnsafeBuffer b, int base) {
        return Words.getLong(b, base, BIND_ADDR_OFFSET);
    }

    /**
     * Sets {@code wr.bind.addr}.
     *
     * @param b     buffer
     * @param base  where the WQE begins
     * @param value the first byte that the window shall show
     */
    public static void bindAddr(UnsafeBuffer b, int base, long value) {
        Words.putLong(b, base, BIND_ADDR_OFFSET, value);
    }

    /**
     * {@return the bytes that it shall show; 0 ends the binding}
     *
     * @param b    buffer
     * @param base where the WQE begins
     */
    public static long bindLength(UnsafeBuffer b, int base) {
        return Words.getLong(b, base, BIND_LENGTH_OFFSET);
    }

    /**
     * Sets {@code wr.bind.length}.
     *
     * @param b     buffer
     * @param base  where the WQE begins
     * @param value the bytes that it shall show; 0 ends the binding
     */
    public static void bindLength(UnsafeBuffer b, int base, long value) {
        Words.putLong(b, base, BIND_LENGTH_OFFSET, value);
    }

    /**
     * {@return the window's key as it is now}
     *
     * @param b    buffer
     * @param base where the WQE begins
     */
    public static int bindMwRkey(UnsafeBuffer b, int base) {
        return Words.getInt(b, base, BIND_MW_RKEY_OFFSET);
    }

    /**
     * Sets {@code wr.bind.mw_rkey}.
     *
     * @param b     buffer
     * @param base  where the WQE begins
     * @param value the window's key as it is now
     */
    public static void bindMwRkey(UnsafeBuffer b, int base, int value) {
        Words.putInt(b, base, BIND_MW_RKEY_OFFSET, value);
    }

    /**
     * {@return the window's key afterwards; the upper 24 bits are those of the present one}
     *
     * @param b    buffer
     * @param base where the WQE begins
     */
    public static int bindNewRkey(UnsafeBuffer b, int base) {
        return Words.getInt(b, base, BIND_NEW_RKEY_OFFSET);
    }

    /**
     * Sets {@code wr.bind.new_rkey}.
     *
     * @param b     buffer
     * @param base  where the WQE begins
     * @param value the window's key afterwards; the upper 24 bits are those of the present one
     */
    public static void bindNewRkey(UnsafeBuffer b, int base, int value) {
        Words.putInt(b, base, BIND_NEW_RKEY_OFFSET, value);
    }

    /**
     * {@return the local key of the region behind the window}
     *
     * @param b    buffer
     * @param base where the WQE begins
     */
    public static int bindMrLkey(UnsafeBuffer b, int base) {
        return Words.getInt(b, base, BIND_MR_LKEY_OFFSET);
    }

    /**
     * Sets {@code wr.bind.mr_lkey}.
     *
     * @param b     buffer
     * @param base  where the WQE begins
     * @param value the local key of the region behind the window
     */
    public static void bindMrLkey(UnsafeBuffer b, int base, int value) {
        Words.putInt(b, base, BIND_MR_LKEY_OFFSET, value);
    }

    /**
     * {@return the {@link AccessFlags} of the window}
     *
     * @param b    buffer
     * @param base where the WQE begins
     */
    public static int bindAccess(UnsafeBuffer b, int base) {
        return Words.getInt(b, base, BIND_ACCESS_OFFSET);
    }

    /**
     * Sets {@code wr.bind.access_flags}.
     *
     * @param b     buffer
     * @param base  where the WQE begins
     * @param value the {@link AccessFlags} of the window
     */
    public static void bindAccess(UnsafeBuffer b, int base, int value) {
        Words.putInt(b, base, BIND_ACCESS_OFFSET, value);
    }
}
