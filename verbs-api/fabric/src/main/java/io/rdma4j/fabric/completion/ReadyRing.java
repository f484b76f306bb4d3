/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.completion;

/** Something whose oldest completion can be read. For the thread that reads the queue. */
abstract class ReadyRing {
    /** Links those that have something to report, see {@link ReadyRings}. */
    ReadyRing nextReady;
    boolean isReady;

    /** Whether the oldest one is over; passes over those that nobody wants to hear of. */
    abstract boolean isHeadDone();

    /** Whether the oldest one, which is over, is a failure. */
    abstract boolean isHeadFailed();

    /** Takes the oldest one out, which is over. */
    abstract void pop(Entry into);

    /** It had nothing more, and is not looked at any more until it is added again. */
    void left() {
        // Those that are filled by the reader itself are added when there is something new.
    }
}
