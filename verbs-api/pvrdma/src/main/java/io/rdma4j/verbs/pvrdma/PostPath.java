/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import io.rdma4j.hw.pvrdma.Sge;
import io.rdma4j.queues.WorkQueue;
import io.rdma4j.verbs.ReturnCode;
import io.rdma4j.verbs.SgeList;
import io.rdma4j.verbs.spi.OneThread;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * What posting to a send queue and to a receive queue have in common: the gate, batches, and telling the device. One
 * thread posts; the control fields may change meanwhile.
 *
 * @param <R> the requests.
 */
abstract class PostPath<R> {
    private final WorkQueue ring;
    private final PvrdmaCq cq;
    private final int maxSge;
    /** OK while requests are taken, else the code that refuses them. */
    private volatile int gate;
    private volatile boolean muted;
    private OneThread poster;

    PostPath(final WorkQueue ring, final PvrdmaCq cq, final int gate) {
        this.ring = ring;
        this.cq = cq;
        this.maxSge = ring == null ? 0 : ring.maxSge();
        this.gate = gate;
    }

    synchronized void gate(final int code) {
        gate = code;
    }

    /** The same unless another one was set meanwhile. */
    final synchronized void gate(final int expected, final int code) {
        if (gate == expected) {
            gate = code;
        }
    }

    /** Names the queue to who looks for a second thread in it; before the first post. */
    final void guardedAs(final String place) {
        poster = OneThread.of(place);
    }

    /**
     * Begins a post. The memory of the ring stays the ring's until {@link #leave()}, also if it is closed meanwhile.
     *
     * @return OK if {@link #leave()} is to follow, else the code that refuses.
     */
    final int enter() {
        if (ring == null) {
            return gate;
        }
        if (OneThread.CHECKED && !poster.enter()) {
            return ReturnCode.INVALID_REQUEST;
        }
        ring.beginPost();
        // Looked at after that: who closes the queue either is seen here, or sees that somebody posts.
        final int refusal = gate;
        if (refusal != ReturnCode.OK) {
            leave();
        }
        return refusal;
    }

    final void leave() {
        ring.endPost();
        if (OneThread.CHECKED) {
            poster.leave();
        }
    }

    /** Whether a thread may be between the two. */
    final boolean isInUse() {
        return ring != null && ring.isPosting();
    }

    final int maxSge() {
        return maxSge;
    }

    /** The device would carry out what it should flush: it does not learn of further requests. */
    final void muted(final boolean value) {
        muted = value;
    }

    final int post(final R request) {
        final int refusal = enter();
        if (refusal != ReturnCode.OK) {
            return refusal;
        }
        try {
            final int code = enqueueOrRefuse(request, 0);
            if (code == ReturnCode.OK) {
                submit(1);
            }
            return code;
        } finally {
            leave();
        }
    }

    final int post(final R[] requests, final int count) {
        final int refusal = enter();
        if (refusal != ReturnCode.OK) {
            return refusal;
        }
        try {
            return postAll(requests, count);
        } finally {
            leave();
        }
    }

    private int postAll(final R[] requests, final int count) {
        if (requests == null || count < 0 || count > requests.length) {
            return ReturnCode.INVALID_REQUEST;
        }
        int posted = 0;
        int code = ReturnCode.OK;
        while (posted < count && (code = enqueueOrRefuse(requests[posted], posted)) == ReturnCode.OK) {
            posted++;
        }
        if (posted > 0) {
            submit(posted);
        }
        return posted > 0 ? posted : code;
    }

    private int enqueueOrRefuse(final R request, final int ahead) {
        return request == null ? ReturnCode.INVALID_REQUEST : enqueue(request, ahead);
    }

    /**
     * Checks a request and writes it into the ring, without keeping it.
     *
     * @param ahead how many were written before it and are not kept.
     * @return OK or the code that refuses it.
     */
    abstract int enqueue(R request, int ahead);

    /** Keeps what was written, and shows it to the device. */
    final void submit(final int requests) {
        ring.commit(requests);
        ring.publish();
        if (muted) {
            ring.showPublished();
            cq.wake();
        } else {
            ring.ringDoorbell();
        }
    }

    final int notClaimed(final int code) {
        return code == WorkQueue.FULL ? ReturnCode.QUEUE_FULL : cq.context.corruptIndex(ring);
    }

    /** Writes the elements of a request, of which the first one lies at an offset. */
    static void writeElements(final UnsafeBuffer wqes, final int first, final SgeList sges, final int count) {
        if (count == 1) {
            Sge.set(wqes, first, sges.address(0), sges.length(0), sges.lkey(0));
        } else {
            writeAll(wqes, first, sges, count);
        }
    }

    private static void writeAll(final UnsafeBuffer wqes, final int first, final SgeList sges, final int count) {
        for (int i = 0; i < count; i++) {
            Sge.set(wqes, first + i * Sge.LENGTH, sges.address(i), sges.length(i), sges.lkey(i));
        }
    }
}
