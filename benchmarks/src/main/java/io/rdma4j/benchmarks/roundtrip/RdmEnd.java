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
    private static final int RECEIVES = 16;
    private static final int POLL_LIMIT = 4;
    private static final int LENGTH = Sizes.MESSAGE;
    private static final int SEND_OFFSET = RECEIVES * LENGTH;

    private final UnsafeBuffer memory;
    private long received = -1;
    private int freeSlot = -1;
    private long sent;

    RdmEnd(final RdmaContext context, final Patience patience, final EndpointOptions options) {
        super(context, patience, options, SEND_OFFSET + LENGTH, 4 * RECEIVES, POLL_LIMIT);
        memory = pinned.buffer();
        for (int slot = 0; slot < RECEIVES; slot++) {
            postReceive(slot);
        }
    }

    static EndpointOptions options() {
        return new EndpointOptions().sizes(2 * RECEIVES, 2 * RECEIVES);
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
    }

    /** Whether message number n came; its receive is posted again. */
    boolean took(final long n) {
        progress();
        if (freeSlot < 0) {
            return false;
        }
        if (received != n) {
            throw new IllegalStateException("message " + received + " came instead of " + n);
        }
        postReceive(freeSlot);
        freeSlot = -1;
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
            freeSlot = (int) entry.context();
            received = memory.getLong(freeSlot * LENGTH);
        } else {
            sent++;
        }
    }
}
