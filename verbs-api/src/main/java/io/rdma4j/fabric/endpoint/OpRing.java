/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.endpoint;

import io.rdma4j.fabric.CachedRegion;
import io.rdma4j.fabric.OperationKind;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

import org.agrona.BitUtil;
import org.agrona.BufferUtil;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Operations of one kind that are under way, oldest first, in memory that was allocated when the endpoint was opened.
 * An operation may be done before an older one; it is reported after it. For the thread that uses the endpoint.
 *
 * <pre>
 *    0 context     8 local address   16 length    24 remote address
 *   32 key        40 remote iova     48 cell iova 56 operand
 *   64 swap       72 rkey  76 lkey   80 cell rkey 84 data
 *   88 kind 92 state  96 errno 100 detail  104 flags 108 tries  112 operation
 * </pre>
 */
final class OpRing {
    static final int CONTEXT = 0;
    static final int LOCAL = 8;
    static final int LENGTH = 16;
    static final int REMOTE = 24;
    static final int KEY = 32;
    static final int IOVA = 40;
    static final int CELL_IOVA = 48;
    static final int OPERAND = 56;
    static final int SWAP = 64;
    static final int RKEY = 72;
    static final int LKEY = 76;
    static final int CELL_RKEY = 80;
    static final int DATA = 84;
    private static final int KIND = 88;
    private static final int STATE = 92;
    private static final int ERRNO = 96;
    private static final int DETAIL = 100;
    static final int FLAGS = 104;
    static final int TRIES = 108;
    static final int OPERATION = 112;
    private static final int STRIDE = 128;

    /** Flag: the data of the operation are for the completion. */
    static final int HAS_DATA = 1;

    private static final int UNDER_WAY = 0;
    private static final int DONE = 1;
    private static final OperationKind[] KINDS = OperationKind.values();

    final FabricEndpoint endpoint;
    /** Links rings that have something to report, see {@link ReadyRings}. */
    OpRing nextReady;
    boolean isReady;
    private final ReadyRings ready;
    private final UnsafeBuffer ops;
    private final CachedRegion[] cached;
    private final int limit;
    private final int mask;
    private long head;
    private long tail;

    OpRing(final FabricEndpoint endpoint, final ReadyRings ready, final int limit) {
        this.endpoint = endpoint;
        this.ready = ready;
        this.limit = limit;
        final int count = BitUtil.findNextPositivePowerOfTwo(limit);
        this.mask = count - 1;
        final ByteBuffer memory =
            BufferUtil.allocateDirectAligned(count * STRIDE, BitUtil.CACHE_LINE_LENGTH).order(ByteOrder.nativeOrder());
        this.ops = new UnsafeBuffer(memory);
        this.cached = new CachedRegion[count];
    }

    boolean isFull() {
        return tail - head >= limit;
    }

    boolean isEmpty() {
        return tail == head;
    }

    int size() {
        return (int) (tail - head);
    }

    /** Takes the next place; there is one, see {@link #isFull()}. Fields keep what they had. */
    int claim(final OperationKind kind, final long context, final long length, final CachedRegion region) {
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

    /** Gives the place back that was claimed last. */
    void unclaim() {
        tail--;
        release((int) tail & mask);
    }

    /** The oldest operation, in the order of {@link #next}. */
    int first() {
        return (int) head & mask;
    }

    int next(final int slot) {
        return slot + 1 & mask;
    }

    boolean isUnderWay(final int slot) {
        return (slot & ~mask) == 0 && (slot - head & mask) < tail - head
            && ops.getInt(slot * STRIDE + STATE) == UNDER_WAY;
    }

    long getLong(final int slot, final int field) {
        return ops.getLong(slot * STRIDE + field);
    }

    int getInt(final int slot, final int field) {
        return ops.getInt(slot * STRIDE + field);
    }

    void putLong(final int slot, final int field, final long value) {
        ops.putLong(slot * STRIDE + field, value);
    }

    void putInt(final int slot, final int field, final int value) {
        ops.putInt(slot * STRIDE + field, value);
    }

    OperationKind kind(final int slot) {
        return KINDS[ops.getInt(slot * STRIDE + KIND)];
    }

    /** It is over; reported when those before are. */
    void done(final int slot, final int errno, final int detail) {
        final int at = slot * STRIDE;
        ops.putInt(at + ERRNO, errno);
        ops.putInt(at + DETAIL, detail);
        ops.putInt(at + STATE, DONE);
        release(slot);
        if (!isReady && slot == first()) {
            ready.add(this);
        }
    }

    private void release(final int slot) {
        final CachedRegion region = cached[slot];
        if (region != null) {
            cached[slot] = null;
            region.release();
        }
    }

    /** All that is under way is over. */
    void cancelAll(final int errno, final int detail) {
        int slot = first();
        for (int left = size(); left > 0; left--) {
            if (isUnderWay(slot)) {
                done(slot, errno, detail);
            }
            slot = next(slot);
        }
    }

    boolean isHeadDone() {
        return head != tail && ops.getInt(first() * STRIDE + STATE) == DONE;
    }

    /** Takes the oldest operation out, which is done. */
    void pop(final Entry into) {
        final int at = first() * STRIDE;
        head++;
        into.set(endpoint, KINDS[ops.getInt(at + KIND)], ops.getLong(at + CONTEXT), ops.getLong(at + LENGTH));
        if ((ops.getInt(at + FLAGS) & HAS_DATA) != 0) {
            into.data(ops.getInt(at + DATA));
        }
        into.failure(ops.getInt(at + ERRNO), ops.getInt(at + DETAIL));
    }

    @Override
    public String toString() {
        return size() + " of " + limit + " under way";
    }
}
