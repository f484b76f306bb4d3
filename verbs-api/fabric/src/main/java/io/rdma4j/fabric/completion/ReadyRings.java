/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.completion;

/**
 * Rings whose oldest operation is over, in the order in which that happened. One that always has something goes to the
 * end after some, so that the others are heard of. For the thread that reads the queue.
 */
final class ReadyRings {
    /** Completions that one ring reports while others wait. */
    private static final int TURN = 16;

    private ReadyRing first;
    private ReadyRing last;
    private int taken;

    void add(final ReadyRing ring) {
        ring.isReady = true;
        ring.nextReady = null;
        if (first == null) {
            first = ring;
        } else {
            last.nextReady = ring;
        }
        last = ring;
    }

    /** Whether there is a completion to take. */
    boolean hasNext() {
        while (first != null) {
            if (first.isHeadDone()) {
                return true;
            }
            drop();
        }
        return false;
    }

    private void drop() {
        final ReadyRing ring = removeFirst();
        ring.isReady = false;
        ring.left();
    }

    private ReadyRing removeFirst() {
        final ReadyRing ring = first;
        first = ring.nextReady;
        ring.nextReady = null;
        taken = 0;
        return ring;
    }

    /** Whether the next completion is a failure; there is one, see {@link #hasNext()}. */
    boolean isNextFailed() {
        return first.isHeadFailed();
    }

    /** Takes the next completion; there is one, see {@link #hasNext()}. */
    void take(final Entry into) {
        first.pop(into);
        if (++taken >= TURN && first.nextReady != null) {
            add(removeFirst());
        }
    }
}
