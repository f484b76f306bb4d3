/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.queues;

import java.lang.invoke.VarHandle;
import org.agrona.BufferUtil;
import org.agrona.UnsafeApi;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Memory in which a work queue leaves what it counts, for others to look at while it works:
 *
 * <pre>
 *   posterOffset     elements shown to the device, by number     the poster stores these three
 *             +8     doorbells
 *            +16     claims that found the queue full
 *   retiredOffset    elements that completed, by number          the poller stores this one
 *             +8     numbers that resets left out                who resets stores this one
 * </pre>
 *
 * <p>A queue that is reset goes on with the number of a later lap. What it leaves out is below both numbers, as if it
 * had been shown and had completed: how many elements were shown is the first one without it.
 *
 * <p>Each is a 64-bit total in the order of the machine that the queue keeps elsewhere and never reads from here: who
 * writes to this memory misleads those who look at it, and not the queue. The stores are plain ones, aligned, each
 * followed by a release of its caller's: a reader may be late, and never sees half a number. Opaque ones would have the
 * JVM load the fields of the queue anew. Poster and poller are best given cache lines of their own.
 */
public final class QueueTotals {
    private static final int DOORBELLS_OFFSET = Long.BYTES;
    private static final int FULL_OFFSET = 2 * Long.BYTES;
    private static final int POSTER_LENGTH = 3 * Long.BYTES;
    private static final int SKIPPED_OFFSET = Long.BYTES;
    private static final int RETIRED_LENGTH = 2 * Long.BYTES;
    private static final int LINE = 64;

    /** Keeps it mapped: whoever counts late must find it. */
    private final UnsafeBuffer memory;
    private final long poster;
    private final long retired;

    /**
     * Uses memory outside of the heap.
     *
     * @param memory        kept as long as this is
     * @param posterOffset  where what the poster counts begins
     * @param retiredOffset where what the poller counts begins
     * @throws IllegalArgumentException if that is not inside, not aligned to 8 bytes, or the memory is in the heap
     */
    public QueueTotals(final UnsafeBuffer memory, final int posterOffset, final int retiredOffset) {
        require(memory, posterOffset, POSTER_LENGTH);
        require(memory, retiredOffset, RETIRED_LENGTH);
        this.memory = memory;
        poster = memory.addressOffset() + posterOffset;
        retired = memory.addressOffset() + retiredOffset;
    }

    private static void require(final UnsafeBuffer memory, final int offset, final int length) {
        final boolean isInside = offset >= 0 && offset <= memory.capacity() - length;
        if (!isInside || memory.byteArray() != null || (memory.addressOffset() + offset & Long.BYTES - 1) != 0) {
            throw new IllegalArgumentException("totals at " + offset + ": need " + length
                + " bytes outside of the heap, aligned to 8, are in " + memory);
        }
    }

    /**
     * Counts into memory that nobody looks at.
     *
     * @return its own each time, so that no two queues share a cache line
     */
    public static QueueTotals unseen() {
        return new QueueTotals(new UnsafeBuffer(BufferUtil.allocateDirectAligned(2 * LINE, LINE)), 0, LINE);
    }

    /** Where the poster's begin. */
    long poster() {
        return poster;
    }

    /** Where the poller's begin. */
    long retired() {
        return retired;
    }

    /** Before a doorbell: what is published, and how often it was rung, with this time. */
    static void posted(final long poster, final long total, final long doorbells) {
        UnsafeApi.putLong(poster, total);
        UnsafeApi.putLong(poster + DOORBELLS_OFFSET, doorbells);
    }

    /** Without a doorbell. */
    static void posted(final long poster, final long total) {
        UnsafeApi.putLong(poster, total);
    }

    static void full(final long poster, final long total) {
        UnsafeApi.putLong(poster + FULL_OFFSET, total);
    }

    static void retired(final long poller, final long total) {
        UnsafeApi.putLong(poller, total);
    }

    /**
     * Before the numbers behind those that were left out: a reader between the two finds too few for a moment, and not
     * too many.
     */
    static void skipped(final long poller, final long total) {
        UnsafeApi.putLong(poller + SKIPPED_OFFSET, total);
        VarHandle.releaseFence();
    }

    /** Before what others retired is looked for behind it. */
    static void retiredVolatile(final long poller, final long total) {
        UnsafeApi.putLongVolatile(null, poller, total);
    }

    /**
     * {@return what was counted, for a person}
     */
    @Override
    public String toString() {
        return "posted=" + UnsafeApi.getLongVolatile(null, poster)
            + ", doorbells=" + UnsafeApi.getLongVolatile(null, poster + DOORBELLS_OFFSET)
            + ", full=" + UnsafeApi.getLongVolatile(null, poster + FULL_OFFSET)
            + ", retired=" + UnsafeApi.getLongVolatile(null, retired)
            + ", skipped=" + UnsafeApi.getLongVolatile(null, retired + SKIPPED_OFFSET) + " in " + memory;
    }
}
