/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.wire;

import io.rdma4j.RdmaException;
import io.rdma4j.device.common.Counter;
import io.rdma4j.device.common.Counters;
import io.rdma4j.device.common.SpinLock;
import io.rdma4j.driver.libc.DatagramBatch;
import io.rdma4j.driver.libc.DatagramCalls;

/**
 * Frames on their way out of one socket. Any thread adds, and whoever has the lock sends. A frame is not copied: its
 * slot is exchanged for an empty one.
 */
final class UdpOutbox {
    /** Frames that one system call sends: the cost of the call is small beside theirs, and they fit in a cache. */
    static final int BATCH = 32;

    private final SpinLock lock = new SpinLock();
    private final DatagramBatch batch = new DatagramBatch(BATCH);
    private final FrameSlot[] slots;
    private final Counters counters;
    private final int socket;
    /** Frames before this one have gone. */
    private int first;
    /** Written under the lock; others only guess by it. */
    private volatile int count;
    private boolean closed;

    UdpOutbox(int socket, int maxFrame, Counters counters) {
        this.socket = socket;
        this.counters = counters;
        slots = FrameSlot.allocate(BATCH, maxFrame);
    }

    boolean isEmpty() {
        return count == 0;
    }

    /** Whether a frame is likely to find room. */
    boolean hasRoom() {
        if (count < BATCH) {
            return true;
        }
        flush();
        return count < BATCH;
    }

    /** Takes a frame, its check sum included, and gives an empty slot for it; drops it if there is no room. */
    FrameSlot add(FrameSlot slot, int length, UdpLane lane, int trafficClass, int hopLimit) {
        lock.lock();
        try {
            if (count == BATCH) {
                send();
                if (count == BATCH) {
                    counters.increment(Counter.WIRE_NO_ROOM);
                    return slot;
                }
            }
            final int at = count;
            final FrameSlot empty = slots[at];
            slots[at] = slot;
            batch.data(at, slot.address(), length);
            lane.address(batch, at);
            batch.header(at, trafficClass, hopLimit);
            count = at + 1;
            if (at + 1 == BATCH) {
                send();
            }
            return empty;
        } finally {
            lock.unlock();
        }
    }

    void flush() {
        if (count == 0) {
            return;
        }
        lock.lock();
        try {
            send();
        } finally {
            lock.unlock();
        }
    }

    /** A frame that the network refuses is lost, as on any other way; those behind it may have another way. */
    private void send() {
        final int end = count;
        int next = closed ? end : first;
        while (next < end) {
            final int sent = DatagramCalls.send(socket, batch, next, end - next);
            if (sent == -RdmaException.EAGAIN) {
                break;
            }
            if (sent <= 0) {
                counters.increment(Counter.WIRE_REFUSED);
            }
            next += Math.max(1, sent);
        }
        if (next == end) {
            first = 0;
            count = 0;
        } else {
            first = next;
        }
    }

    /** From now on nothing goes; the socket may be closed. */
    void close() {
        lock.lock();
        closed = true;
        lock.unlock();
    }
}
