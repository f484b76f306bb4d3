/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma.device;

import io.rdma4j.hw.pvrdma.RingIndex;

import java.util.function.IntConsumer;

/**
 * Tells which armed CQs have something. Whoever waits for completions arms a CQ, polls it once more, waits with
 * {@link PvrdmaDevice#awaitCompletionEvents}, drains here, and polls the CQs that are named.
 *
 * <p>A device that runs ahead by more than the ring holds loses notices, or, with the ring size of Linux, overwrites
 * old ones without a sign. {@link #drain} finds that out, and then has every armed CQ polled. Thread-safe.
 */
public final class NotificationRing {
    /** From {@link #drain}: an index in the ring makes no sense; the device is failed. */
    public static final int CORRUPT = -1;
    /** From {@link #drain}: it is not known which CQs it was; poll every armed one. */
    public static final int CHECK_ALL = -2;

    private final EventRing ring;
    private final EventWaiter waiter;
    private final FailureLatch latch;
    private final DriverCounters counters;
    private volatile boolean namesCqs;

    NotificationRing(
        final EventRing ring, final EventWaiter waiter, final FailureLatch latch, final DriverCounters counters) {
        this.ring = ring;
        this.latch = latch;
        this.counters = counters;
        this.waiter = waiter;
    }

    EventWaiter waiter() {
        return waiter;
    }

    /** Whether a notice can be believed; to be called once, before the device has the ring. */
    void namesCqs(final boolean names) {
        namesCqs = names;
        if (names) {
            ring.watchForOverrun();
        }
    }

    /**
     * Takes what is in the ring, at most as many as it holds.
     *
     * @param cqHandles is called with the handle of each CQ, which may be unknown: the device is not trusted.
     * @return how many were taken, {@link #CHECK_ALL} or {@link #CORRUPT}.
     */
    public int drain(final IntConsumer cqHandles) {
        if (!namesCqs) {
            return discardAndCheckAll();
        }
        final int[] words = new int[1];
        for (int taken = 0; taken < ring.elements(); taken++) {
            final int state = ring.take(words);
            if (state == RingIndex.CORRUPT) {
                return corrupt();
            }
            if (state == EventRing.OVERRUN) {
                counters.overrunRings.increment();
                return discardAndCheckAll();
            }
            if (state == RingIndex.NO_DATA) {
                return taken;
            }
            counters.completionNotices.increment();
            cqHandles.accept(words[0]);
        }
        return ring.elements();
    }

    private int discardAndCheckAll() {
        return discard() == CORRUPT ? CORRUPT : CHECK_ALL;
    }

    /**
     * Skips what is in the ring. Who only polls calls it now and then: a device may stop to notify when the ring is
     * full.
     *
     * @return 0 or {@link #CORRUPT}.
     */
    public int discard() {
        return ring.discard() == RingIndex.CORRUPT ? corrupt() : 0;
    }

    private int corrupt() {
        counters.corruptRings.increment();
        latch.fail("the device wrote an index that is not one: " + ring);
        return CORRUPT;
    }

    @Override
    public String toString() {
        return ring.toString();
    }
}
