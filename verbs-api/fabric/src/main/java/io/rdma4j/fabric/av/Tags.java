/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.av;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * A number for some of the addresses. Those of addresses that are gone need not be taken out, as the next address at
 * that place has another life. Changed by one thread at a time, read by any.
 */
class Tags {
    private static final VarHandle WORD = MethodHandles.arrayElementVarHandle(long[].class);
    private static final VarHandle COLUMN;

    static {
        try {
            COLUMN = MethodHandles.lookup().findVarHandle(Tags.class, "column", Column.class);
        } catch (final ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** Life and number of each place. Released by {@link #put} when it is made; meets the acquire in {@link #get}. */
    private Column column;

    void put(final int place, final int life, final long value) {
        Column all = column;
        if (all == null) {
            all = new Column(2);
            COLUMN.setRelease(this, all);
        }
        all.grow(place);
        final long[] chunk = all.chunk(place);
        final int at = all.offset(place);
        if (chunk[at] != life) {
            WORD.setOpaque(chunk, at, 0L);
            // Meets the acquire fence in get: who reads the new number does not find the old life.
            VarHandle.releaseFence();
        }
        WORD.setOpaque(chunk, at + 1, value);
        // Meets the acquire in get.
        WORD.setRelease(chunk, at, (long) life);
    }

    /** The number of an address, or what stands for none. */
    long get(final int place, final int life, final long none) {
        final Column all = (Column) COLUMN.getAcquire(this);
        final long[] chunk = all == null ? null : all.chunk(place);
        if (chunk == null) {
            return none;
        }
        final int at = all.offset(place);
        if (at >= chunk.length || (long) WORD.getAcquire(chunk, at) != life) {
            return none;
        }
        final long value = (long) WORD.getOpaque(chunk, at + 1);
        VarHandle.acquireFence();
        return (long) WORD.getOpaque(chunk, at) == life ? value : none;
    }

    /** Whether there was never one. */
    boolean isEmpty() {
        return COLUMN.getAcquire(this) == null;
    }

    long memoryUse() {
        final Column all = (Column) COLUMN.getAcquire(this);
        return all == null ? 0 : all.memoryUse();
    }
}
