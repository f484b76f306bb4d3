/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.completion;

import io.rdma4j.fabric.CachedRegion;
import io.rdma4j.fabric.Endpoint;
import io.rdma4j.fabric.OperationKind;
import io.rdma4j.fabric.event.EndpointCounters;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

import org.agrona.BitUtil;
import org.agrona.BufferUtil;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Operations of one kind that are under way, oldest first, in memory that was allocated when the endpoint was opened.
 * An operation may be done before an older one; it is reported after it. It keeps its place until its completion was
 * read. For the thread that uses the endpoint.
 *
 * <pre>
 *    0 context     8 local address   16 length    24 remote address, or overflow
 *   32 key        40 remote iova     48 cell iova 56 operand
 *   64 swap       72 rkey  76 lkey   80 cell rkey 84 data
 *   88 kind 92 state  96 errno 100 detail  104 flags 108 tries  112 operation
 *  116 further buffers  120 source
 * </pre>
 */
public final class OpRing extends ReadyRing {
    /** The application's context. */
    public static final int CONTEXT = 0;
    /** Where the memory of this side is, for the device. */
    public static final int LOCAL = 8;
    /** Bytes. */
    public static final int LENGTH = 16;
    /** Address of the peer's memory. */
    public static final int REMOTE = 24;
    /** Bytes that did not fit, with {@link #HAS_OVERFLOW}. */
    public static final int OVERFLOW = 24;
    /** The peer's key. */
    public static final int KEY = 32;
    /** Where the peer's memory is, for the device. */
    public static final int IOVA = 40;
    /** Where the peer counts. */
    public static final int CELL_IOVA = 48;
    /** First operand of an atomic. */
    public static final int OPERAND = 56;
    /** Second operand of an atomic. */
    public static final int SWAP = 64;
    /** Key of the device for the peer's memory. */
    public static final int RKEY = 72;
    /** Key of the device for this side's memory. */
    public static final int LKEY = 76;
    /** Key of the device for where the peer counts. */
    public static final int CELL_RKEY = 80;
    /** Data that come or go with it. */
    public static final int DATA = 84;
    private static final int KIND = 88;
    private static final int STATE = 92;
    private static final int ERRNO = 96;
    private static final int DETAIL = 100;
    /** Flags, from here: set by {@link #flag}. */
    public static final int FLAGS = 104;
    /** How often it was posted again. */
    public static final int TRIES = 108;
    /** What it is, in the owner's numbers. */
    public static final int OPERATION = 112;
    /** How many buffers it has besides the first one. */
    public static final int FURTHER = 116;
    /** Who sent it, with {@link #HAS_SOURCE}. */
    public static final int SOURCE = 120;
    private static final int STRIDE = 128;

    /** Flag: the data of the operation are for the completion. */
    public static final int HAS_DATA = 1;
    /** Flag: the source is for the completion. */
    public static final int HAS_SOURCE = 2;
    /** Flag: the overflow is for the completion. */
    public static final int HAS_OVERFLOW = 4;
    /** Flag: success is not reported. */
    public static final int QUIET = 8;
    private static final int KEEPS_MORE = 16;
    /** Flag, for the owner: more than the device's word is wanted. */
    public static final int DELIVERS = 32;

    private static final int UNDER_WAY = 0;
    private static final int DONE = 1;
    private static final OperationKind[] KINDS = OperationKind.values();

    private final Endpoint endpoint;
    private final ReadyRings ready;
    private final UnsafeBuffer ops;
    private final EndpointCounters counters;
    private final boolean counts;
    private final CachedRegion[] cached;
    /** Of the second buffer on; empty where an operation has one only. */
    private final CachedRegion[] more;
    private final int buffers;
    private final int limit;
    private final int mask;
    private long head;
    private long tail;

    /**
     * A ring without operations.
     *
     * @param endpoint whose they are.
     * @param queue    where they complete.
     * @param limit    most that can be under way or unread.
     */
    public OpRing(final Endpoint endpoint, final FabricCompletionQueue queue, final int limit) {
        this(endpoint, queue, limit, 1, EndpointCounters.none());
    }

    /**
     * A ring without operations.
     *
     * @param endpoint whose they are.
     * @param queue    where they complete.
     * @param limit    most that can be under way or unread.
     * @param buffers  most of one operation, see {@link #keep}.
     * @param counters count them.
     */
    public OpRing(
        final Endpoint endpoint, final FabricCompletionQueue queue, final int limit, final int buffers,
        final EndpointCounters counters) {
        this.endpoint = endpoint;
        this.ready = queue.ready();
        this.limit = limit;
        this.buffers = buffers;
        this.counters = counters;
        this.counts = counters != EndpointCounters.none();
        final int count = BitUtil.findNextPositivePowerOfTwo(limit);
        this.mask = count - 1;
        final ByteBuffer memory =
            BufferUtil.allocateDirectAligned(count * STRIDE, BitUtil.CACHE_LINE_LENGTH).order(ByteOrder.nativeOrder());
        this.ops = new UnsafeBuffer(memory);
        this.cached = new CachedRegion[count];
        this.more = new CachedRegion[count * (buffers - 1)];
    }

    /**
     * Whether no more can begin. What is over and nobody wants to hear of needs no read to go.
     *
     * @return true if so.
     */
    public boolean isFull() {
        if (tail - head < limit) {
            return false;
        }
        isHeadDone();
        return tail - head >= limit;
    }

    /**
     * How many are under way or unread.
     *
     * @return 0 or more.
     */
    public int size() {
        return (int) (tail - head);
    }

    /**
     * Takes the next place; there is one, see {@link #isFull()}. Fields that are not given keep what they had.
     *
     * @param kind    what it is.
     * @param context of the application.
     * @param length  bytes.
     * @param region  released when it is over; null for none.
     * @return its slot.
     */
    public int claim(final OperationKind kind, final long context, final long length, final CachedRegion region) {
        final int slot = (int) tail++ & mask;
        final int at = slot * STRIDE;
        ops.putLong(at + CONTEXT, context);
        ops.putLong(at + LENGTH, length);
        ops.putInt(at + KIND, kind.ordinal());
        ops.putInt(at + STATE, UNDER_WAY);
        ops.putInt(at + FLAGS, 0);
        ops.putInt(at + TRIES, 0);
        if (region != null || cached[slot] != null) {
            cached[slot] = region;
        }
        return slot;
    }

    /**
     * What the cache lent for a further buffer: released with the operation.
     *
     * @param slot   of an operation that was just claimed.
     * @param buffer which, from 1 on.
     * @param region may be null.
     */
    public void keep(final int slot, final int buffer, final CachedRegion region) {
        if (region != null) {
            more[slot * (buffers - 1) + buffer - 1] = region;
            flag(slot, KEEPS_MORE);
        }
    }

    /**
     * Sets flags.
     *
     * @param slot of an operation.
     * @param bits constants from here.
     */
    public void flag(final int slot, final int bits) {
        final int at = slot * STRIDE + FLAGS;
        ops.putInt(at, ops.getInt(at) | bits);
    }

    /** Gives the place back that was claimed last. */
    public void unclaim() {
        tail--;
        release((int) tail & mask);
    }

    /**
     * The oldest operation, in the order of {@link #next}.
     *
     * @return its slot, if there is one.
     */
    public int first() {
        return (int) head & mask;
    }

    /**
     * What {@link #claim} gives next.
     *
     * @return a slot, if there is a free one.
     */
    public int nextSlot() {
        return (int) tail & mask;
    }

    /**
     * What was claimed after it.
     *
     * @param slot of an operation.
     * @return the next slot.
     */
    public int next(final int slot) {
        return slot + 1 & mask;
    }

    /**
     * Whether an operation is not over.
     *
     * @param slot any number.
     * @return true if there is one, and it is not.
     */
    public boolean isUnderWay(final int slot) {
        return (slot & ~mask) == 0 && (slot - head & mask) < tail - head
            && ops.getInt(slot * STRIDE + STATE) == UNDER_WAY;
    }

    /**
     * Whether any operation is not over.
     *
     * @return true if so.
     */
    public boolean hasUnderWay() {
        int slot = first();
        for (int left = size(); left > 0; left--) {
            if (isUnderWay(slot)) {
                return true;
            }
            slot = next(slot);
        }
        return false;
    }

    /**
     * Reads a field.
     *
     * @param slot  of an operation.
     * @param field a constant from here.
     * @return 64 bits.
     */
    public long getLong(final int slot, final int field) {
        return ops.getLong(slot * STRIDE + field);
    }

    /**
     * Reads a field.
     *
     * @param slot  of an operation.
     * @param field a constant from here.
     * @return 32 bits.
     */
    public int getInt(final int slot, final int field) {
        return ops.getInt(slot * STRIDE + field);
    }

    /**
     * Writes a field.
     *
     * @param slot  of an operation.
     * @param field a constant from here.
     * @param value 64 bits.
     */
    public void putLong(final int slot, final int field, final long value) {
        ops.putLong(slot * STRIDE + field, value);
    }

    /**
     * Writes a field.
     *
     * @param slot  of an operation.
     * @param field a constant from here.
     * @param value 32 bits.
     */
    public void putInt(final int slot, final int field, final int value) {
        ops.putInt(slot * STRIDE + field, value);
    }

    /**
     * It is over; reported when those before are.
     *
     * @param slot   of an operation.
     * @param errno  positive; 0 for a success.
     * @param detail of {@link Failures}.
     */
    public void done(final int slot, final int errno, final int detail) {
        final int at = slot * STRIDE;
        ops.putInt(at + ERRNO, errno);
        ops.putInt(at + DETAIL, detail);
        ops.putInt(at + STATE, DONE);
        release(slot);
        if (counts) {
            count(at, errno);
        }
        if (!isReady && slot == first() && isHeadDone()) {
            ready.add(this);
        }
    }

    private void count(final int at, final int errno) {
        final OperationKind kind = KINDS[ops.getInt(at + KIND)];
        if (errno == 0) {
            counters.success(kind);
        } else {
            counters.failure(kind);
        }
    }

    private void release(final int slot) {
        final CachedRegion region = cached[slot];
        if (region != null) {
            cached[slot] = null;
            region.release();
        }
        if ((ops.getInt(slot * STRIDE + FLAGS) & KEEPS_MORE) != 0) {
            releaseMore(slot * (buffers - 1));
        }
    }

    private void releaseMore(final int first) {
        for (int i = first; i < first + buffers - 1; i++) {
            final CachedRegion region = more[i];
            if (region != null) {
                more[i] = null;
                region.release();
            }
        }
    }

    /**
     * All that is under way is over.
     *
     * @param errno  positive.
     * @param detail of {@link Failures}.
     */
    public void cancelAll(final int errno, final int detail) {
        int slot = first();
        for (int left = size(); left > 0; left--) {
            if (isUnderWay(slot)) {
                done(slot, errno, detail);
            }
            slot = next(slot);
        }
    }

    @Override
    boolean isHeadDone() {
        while (head != tail) {
            final int at = first() * STRIDE;
            if (ops.getInt(at + STATE) != DONE) {
                return false;
            }
            if ((ops.getInt(at + FLAGS) & QUIET) == 0 || ops.getInt(at + ERRNO) != 0) {
                return true;
            }
            head++;
        }
        return false;
    }

    @Override
    boolean isHeadFailed() {
        return ops.getInt(first() * STRIDE + ERRNO) != 0;
    }

    @Override
    void pop(final Entry into) {
        final int at = first() * STRIDE;
        head++;
        into.set(endpoint, KINDS[ops.getInt(at + KIND)], ops.getLong(at + CONTEXT), ops.getLong(at + LENGTH));
        final int flags = ops.getInt(at + FLAGS);
        if (flags != 0) {
            extras(at, flags, into);
        }
        into.failure(ops.getInt(at + ERRNO), ops.getInt(at + DETAIL));
    }

    private void extras(final int at, final int flags, final Entry into) {
        if ((flags & HAS_DATA) != 0) {
            into.data(ops.getInt(at + DATA));
        }
        if ((flags & HAS_SOURCE) != 0) {
            into.source(ops.getLong(at + SOURCE));
        }
        if ((flags & HAS_OVERFLOW) != 0) {
            into.overflow(ops.getLong(at + OVERFLOW));
        }
    }

    @Override
    public String toString() {
        return size() + " of " + limit + " under way";
    }
}
