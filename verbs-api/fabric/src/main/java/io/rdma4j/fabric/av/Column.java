/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.av;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;

/**
 * Words by place, the same number for each, in chunks that stay where they are: so it grows without a copy of all, and
 * beside threads that read. Only the first chunk begins small and is copied until it has its size: who still reads the
 * copy before reads what was there when it began. Changed by one thread at a time.
 */
final class Column {
    static final int CHUNK_SHIFT = 12;
    static final int CHUNK = 1 << CHUNK_SHIFT;
    private static final int FIRST = 16;
    private static final VarHandle CHUNKS;

    static {
        try {
            CHUNKS = MethodHandles.lookup().findVarHandle(Column.class, "chunks", long[][].class);
        } catch (final ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final int stride;
    /** Released by {@link #grow} with what is in them; meets the acquire in {@link #chunk}. */
    @SuppressWarnings("unused") // By a VarHandle.
    private long[][] chunks = new long[1][];

    Column(final int stride) {
        this.stride = stride;
    }

    /** The chunk of a place that is not negative; null if there is none. Its words begin at {@link #offset}. */
    long[] chunk(final int place) {
        final long[][] all = (long[][]) CHUNKS.getAcquire(this);
        final int index = place >>> CHUNK_SHIFT;
        return index < all.length ? all[index] : null;
    }

    /** Where the words of a place begin; they may be behind the end of the first chunk. */
    int offset(final int place) {
        return (place & CHUNK - 1) * stride;
    }

    /** A word; 0 where there is none. */
    long get(final int place, final int word) {
        final long[] chunk = chunk(place);
        final int at = offset(place) + word;
        return chunk == null || at >= chunk.length ? 0 : chunk[at];
    }

    /** Makes room for a place. */
    void grow(final int place) {
        final int index = place >>> CHUNK_SHIFT;
        final long[] old = chunk(place);
        final int least = offset(place) + stride;
        if (old != null && least <= old.length) {
            return;
        }
        // Places that are taken in order, but for the first chunk, fill their chunk: it is made whole at once.
        final int size = index > 0 ? CHUNK * stride
            : Math.min(CHUNK * stride, Math.max(least, old == null ? FIRST * stride : 2 * old.length));
        final long[][] all = (long[][]) CHUNKS.getAcquire(this);
        final int length = index < all.length ? all.length : index + (index >> 1) + 1;
        final long[][] more = Arrays.copyOf(all, length);
        more[index] = old == null ? new long[size] : Arrays.copyOf(old, size);
        CHUNKS.setRelease(this, more);
    }

    void set(final int place, final int word, final long value) {
        chunk(place)[offset(place) + word] = value;
    }

    long memoryUse() {
        final long[][] all = (long[][]) CHUNKS.getAcquire(this);
        long sum = Memory.of(all);
        for (final long[] chunk : all) {
            sum += Memory.of(chunk);
        }
        return sum;
    }
}
