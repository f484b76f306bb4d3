/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.completion;

import io.rdma4j.fabric.Endpoint;
import io.rdma4j.fabric.OperationKind;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

import org.agrona.BitUtil;

/**
 * Data that peers' writes carried to one endpoint, from whoever {@linkplain RmaArrivals holds} the lanes inwards to the
 * thread that reads the queue. Each that was not taken keeps a receive of the endpoint back: so it cannot overflow, and
 * the peer waits.
 */
public final class ArrivalRing extends ReadyRing {
    private final RmaArrivals arrivals;
    private final Endpoint endpoint;
    private final long context;
    private final int[] data;
    private final int[] lengths;
    private final int mask;
    /** Taken; stored with release by the reader, for {@link #unread}. */
    private final AtomicLong head = new AtomicLong();
    /** Arrived; a volatile store by the holder, which must not come after its look at {@link #isListed}. */
    private final AtomicLong tail = new AtomicLong();
    /** Whether the reader looks at it, or finds it in the list. */
    private final AtomicBoolean isListed = new AtomicBoolean();
    /** Links those that the reader does not know of yet, see {@link RmaArrivals}. */
    ArrivalRing nextArrived;
    /** Of the reader: whether its lane is to post receives again. */
    boolean isDrawn;
    ArrivalRing nextDrawn;
    private final InwardLane lane;

    /**
     * Room for arrivals.
     *
     * @param arrivals of the queue.
     * @param endpoint whose they are.
     * @param context  comes with each.
     * @param lane     where they come in.
     * @param receives most that can be there.
     */
    public ArrivalRing(
        final RmaArrivals arrivals, final Endpoint endpoint, final long context, final InwardLane lane,
        final int receives) {
        this.arrivals = arrivals;
        this.endpoint = endpoint;
        this.context = context;
        this.lane = lane;
        final int size = BitUtil.findNextPositivePowerOfTwo(receives);
        this.data = new int[size];
        this.lengths = new int[size];
        this.mask = size - 1;
    }

    InwardLane lane() {
        return lane;
    }

    /**
     * Holder: something arrived; there is room.
     *
     * @param value  32 bits.
     * @param length bytes that were written.
     */
    public void put(final int value, final int length) {
        final long next = tail.get();
        data[(int) next & mask] = value;
        lengths[(int) next & mask] = length;
        tail.set(next + 1);
        list();
    }

    private void list() {
        if (!isListed.get() && isListed.compareAndSet(false, true)) {
            arrivals.list(this);
        }
    }

    /**
     * Holder: arrivals that were not taken.
     *
     * @return 0 or more.
     */
    public int unread() {
        return (int) (tail.get() - head.get());
    }

    @Override
    boolean isHeadDone() {
        return head.get() != tail.get();
    }

    @Override
    boolean isHeadFailed() {
        return false;
    }

    @Override
    void pop(final Entry into) {
        final long next = head.get();
        into.set(endpoint, OperationKind.REMOTE_WRITE, context, lengths[(int) next & mask]);
        into.data(data[(int) next & mask]);
        head.setRelease(next + 1);
        arrivals.drawn(this);
    }

    /** What arrived between the last look and this is found now, or the holder lists it. */
    @Override
    void left() {
        isListed.set(false);
        if (isHeadDone()) {
            list();
        }
    }
}
