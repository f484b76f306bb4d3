/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import io.rdma4j.hw.pvrdma.SqWqe;
import io.rdma4j.queues.SendQueue;
import io.rdma4j.verbs.QueuePair;
import org.agrona.concurrent.UnsafeBuffer;

/** What lies in a slot of a send queue, as the device would read it. */
record Wqe(UnsafeBuffer buffer, int at) {
    /** The one that was posted last. */
    static Wqe last(final QueuePair qp) {
        final SendQueue queue = ((PvrdmaQp) qp).sends.queue;
        return new Wqe(queue.buffer(), queue.slotOffset((int) (queue.sequence() - 1)));
    }

    int opcode() {
        return SqWqe.opcode(buffer, at);
    }

    int flags() {
        return SqWqe.sendFlags(buffer, at);
    }

    int numSge() {
        return SqWqe.numSge(buffer, at);
    }

    int word(final int offset) {
        return buffer.getInt(at + offset, java.nio.ByteOrder.LITTLE_ENDIAN);
    }

    long quad(final int offset) {
        return buffer.getLong(at + offset, java.nio.ByteOrder.LITTLE_ENDIAN);
    }
}
