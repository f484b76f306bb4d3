/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.completion;

import io.rdma4j.fabric.Endpoint;
import io.rdma4j.fabric.OperationKind;

/**
 * Reports that were not read yet, oldest first. It has room for as many as endpoints {@linkplain Room may have}; memory
 * for them is taken when they come for the first time. For the thread that reads the queue.
 *
 * <pre>
 *  word  0 context  1 length  2 source  3 overflow  4 data, kind, has data, buffer is released  5 errno, detail
 *        6 tag  7 buffer
 * </pre>
 */
final class Reports extends ReadyRing {
    private static final int FIRST_SIZE = 64;
    private static final int STRIDE = 8;
    private static final int LENGTH = 1;
    private static final int SOURCE = 2;
    private static final int OVERFLOW = 3;
    private static final int DATA = 4;
    private static final int FAILURE = 5;
    private static final int TAG = 6;
    private static final int BUFFER = 7;
    private static final long LOW = 0xffff_ffffL;
    private static final long HAS_DATA = 1L << 40;
    private static final long IS_RELEASED = 1L << 41;
    private static final int KIND_MASK = 0xff;
    private static final OperationKind[] KINDS = OperationKind.values();

    private final ReadyRings ready;
    private long[] words = new long[FIRST_SIZE * STRIDE];
    private Endpoint[] endpoints = new Endpoint[FIRST_SIZE];
    private Room[] rooms = new Room[FIRST_SIZE];
    private int mask = FIRST_SIZE - 1;
    private long head;
    private long tail;

    Reports(final ReadyRings ready) {
        this.ready = ready;
    }

    void add(final Report report) {
        if (tail - head > mask) {
            grow();
        }
        final int slot = (int) tail++ & mask;
        final int at = slot * STRIDE;
        words[at] = report.context;
        words[at + LENGTH] = report.length;
        words[at + SOURCE] = report.source;
        words[at + OVERFLOW] = report.overflow;
        words[at + DATA] = report.data & LOW | (long) report.kind.ordinal() << Integer.SIZE
            | (report.hasData ? HAS_DATA : 0) | (report.isBufferReleased ? IS_RELEASED : 0);
        words[at + FAILURE] = report.errno & LOW | (long) report.detail << Integer.SIZE;
        words[at + TAG] = report.tag;
        words[at + BUFFER] = report.buffer;
        // What is there already is not stored again: storing references costs more than looking.
        if (endpoints[slot] != report.endpoint) {
            endpoints[slot] = report.endpoint;
        }
        if (rooms[slot] != report.room) {
            rooms[slot] = report.room;
        }
        if (!isReady) {
            ready.add(this);
        }
    }

    private void grow() {
        final int size = mask + 1;
        final long[] moreWords = new long[2 * words.length];
        final Endpoint[] moreEndpoints = new Endpoint[2 * size];
        final Room[] moreRooms = new Room[2 * size];
        for (long i = head; i < tail; i++) {
            final int from = (int) i & mask;
            final int to = (int) i & 2 * size - 1;
            System.arraycopy(words, from * STRIDE, moreWords, to * STRIDE, STRIDE);
            moreEndpoints[to] = endpoints[from];
            moreRooms[to] = rooms[from];
        }
        words = moreWords;
        endpoints = moreEndpoints;
        rooms = moreRooms;
        mask = 2 * size - 1;
    }

    /** Nobody reads them any more; whose places they have may go on. */
    void drop() {
        for (; head != tail; head++) {
            final Room room = rooms[(int) head & mask];
            if (room != null) {
                room.giveBack();
            }
        }
    }

    @Override
    boolean isHeadDone() {
        return head != tail;
    }

    @Override
    boolean isHeadFailed() {
        return (int) words[((int) head & mask) * STRIDE + FAILURE] != 0;
    }

    @Override
    void pop(final Entry into) {
        final int slot = (int) head++ & mask;
        final int at = slot * STRIDE;
        final long packed = words[at + DATA];
        into.set(endpoints[slot], KINDS[(int) (packed >>> Integer.SIZE) & KIND_MASK], words[at], words[at + LENGTH]);
        into.source(words[at + SOURCE]);
        into.overflow(words[at + OVERFLOW]);
        into.tag(words[at + TAG]);
        into.buffer(words[at + BUFFER], (packed & IS_RELEASED) != 0);
        if ((packed & HAS_DATA) != 0) {
            into.data((int) packed);
        }
        into.failure((int) words[at + FAILURE], (int) (words[at + FAILURE] >>> Integer.SIZE));
        final Room room = rooms[slot];
        if (room != null) {
            room.giveBack();
        }
    }
}
