/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs;

/**
 * Requests that left the ring of a {@link SharedSendQueue} and go to the QP with one doorbell. For its owner alone, and
 * therefore an object of its own: what is written here is not among the fields that all producers read.
 */
final class SendBatch {
    private final SendRequest[] requests;
    private int size;
    private boolean entered;

    SendBatch(final int capacity, final int maxSge) {
        requests = new SendRequest[capacity];
        for (int i = 0; i < capacity; i++) {
            requests[i] = new SendRequest(maxSge);
        }
    }

    /** False if the owner is in here already, and called back. */
    boolean enter() {
        final boolean first = !entered;
        entered = true;
        return first;
    }

    void leave() {
        entered = false;
    }

    int size() {
        return size;
    }

    int room() {
        return requests.length - size;
    }

    /** The next free request, which the caller fills. */
    SendRequest add() {
        return requests[size++];
    }

    long firstWrId() {
        return requests[0].wrId();
    }

    /**
     * Posts from the oldest on, and forgets what was posted.
     *
     * @return how many, or the code that refuses the oldest.
     */
    int post(final QueuePair qp, final int limit) {
        final int posted = qp.postSend(requests, Math.min(size, limit));
        if (posted > 0) {
            remove(posted);
        }
        return posted;
    }

    /** Forgets the oldest; the others keep their order, and the objects are used again. */
    void remove(final int count) {
        size -= count;
        for (int i = 0; i < size; i++) {
            final SendRequest gone = requests[i];
            requests[i] = requests[i + count];
            requests[i + count] = gone;
        }
        for (int i = size; i < size + count; i++) {
            // Else a handle that nobody uses any more would be kept from the collector.
            requests[i].to(null, 0, 0);
        }
    }
}
