/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.benchmarks.roundtrip;

import io.rdma4j.benchmarks.harness.Patience;
import io.rdma4j.benchmarks.harness.Sizes;
import io.rdma4j.fabric.CompletionEntry;
import io.rdma4j.fabric.EndpointOptions;
import io.rdma4j.fabric.FiAddr;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.OperationKind;
import io.rdma4j.verbs.RdmaContext;
import org.agrona.concurrent.UnsafeBuffer;

/** One reliable-datagram endpoint: numbered messages to peers that a vector names. */
final class RdmEnd extends RdmNode {
    private static final int BATCH = 8;
    private static final int RECEIVES = 4 * BATCH;
    private static final int POLL_LIMIT = 4;
    private static final int LENGTH = Sizes.MESSAGE;
    private static final int SEND_OFFSET = RECEIVES * LENGTH;

    private final UnsafeBuffer memory;
    private long received = -1;
    private final int[] taken = new int[BATCH];
    private int takenCount;
    private boolean arrived;
    private long posted;
    private long sent;

    RdmEnd(final RdmaContext context, final Patience patience, final EndpointOptions options) {
        super(context, patience, options, SEND_OFFSET + LENGTH, 2 * RECEIVES, POLL_LIMIT);
        memory = pinned.buffer();
        for (int slot = 0; slot < RECEIVES; slot++) {
            postReceive(slot);
        }
    }

    static EndpointOptions options() {
        return new EndpointOptions().sizes(RECEIVES, RECEIVES);
    }

    private void postReceive(final int slot) {
        require(endpoint.receive(pinned.address() + (long) slot * LENGTH, LENGTH, region, FiAddr.UNSPEC, slot));
    }

    /** The peer takes what comes, so that only the first connects. */
    void send(final long n, final long peer) {
        memory.putLong(SEND_OFFSET, n);
        int code = endpoint.send(pinned.address() + SEND_OFFSET, LENGTH, region, peer, n);
        while (code == -FiErrno.FI_EAGAIN) {
            progress();
            code = endpoint.send(pinned.address() + SEND_OFFSET, LENGTH, region, peer, n);
        }
        require(code);
        posted++;
        tidy();
    }

    /** What can wait until a message is gone. */
    private void tidy() {
        if (posted - sent >= BATCH) {
            progressTransmits();
        }
        if (takenCount == BATCH) {
            for (final int slot : taken) {
                postReceive(slot);
            }
            takenCount = 0;
        }
    }

    /** Whether message number n came; its receive is posted again after a send. */
    boolean took(final long n) {
        progressReceives();
        if (!arrived) {
            return false;
        }
        if (received != n) {
            throw new IllegalStateException("message " + received + " came instead of " + n);
        }
        arrived = false;
        return true;
    }

    /** Sends that are over. */
    long sent() {
        return sent;
    }

    @Override
    public void onCompletion(final CompletionEntry entry) {
        if (entry.isError()) {
            errno = entry.errno();
        } else if (entry.kind() == OperationKind.RECEIVE) {
            final int slot = (int) entry.context();
            received = memory.getLong(slot * LENGTH);
            arrived = true;
            taken[takenCount++] = slot;
        } else {
            sent++;
        }
    }
}
