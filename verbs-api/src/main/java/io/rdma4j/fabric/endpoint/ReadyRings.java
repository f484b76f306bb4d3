/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.endpoint;

/** Rings whose oldest operation is over, in the order in which that happened. For the thread that reads the queue. */
final class ReadyRings {
    private OpRing first;
    private OpRing last;

    void add(final OpRing ring) {
        ring.isReady = true;
        ring.nextReady = null;
        if (first == null) {
            first = ring;
        } else {
            last.nextReady = ring;
        }
        last = ring;
    }

    /** Takes the next operation that is over out of its ring; false if there is none. */
    boolean take(final Entry into) {
        while (first != null) {
            final OpRing ring = first;
            if (ring.isHeadDone()) {
                ring.pop(into);
                return true;
            }
            first = ring.nextReady;
            ring.nextReady = null;
            ring.isReady = false;
        }
        return false;
    }
}
