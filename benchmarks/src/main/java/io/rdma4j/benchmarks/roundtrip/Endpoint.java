/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.benchmarks.roundtrip;

import io.rdma4j.benchmarks.harness.Patience;
import io.rdma4j.benchmarks.harness.Sizes;
import io.rdma4j.queues.Padded;
import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.Completion;
import io.rdma4j.verbs.CompletionHandler;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.PinnedMemory;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.QpOptions;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.RdmaContext;
import io.rdma4j.verbs.ReturnCode;
import io.rdma4j.verbs.WcOpcode;
import io.rdma4j.verbs.WcStatus;
import org.agrona.concurrent.UnsafeBuffer;

/** One end of a connection: a queue pair, its completion queue, and buffers for numbered messages. */
final class Endpoint extends Padded implements CompletionHandler {
    private static final int RECEIVES = 16;
    /** More than are ever posted: a device may free a slot a moment after its completion is seen. */
    private static final int QUEUE = 2 * RECEIVES;
    private static final int POLL_LIMIT = 4;
    private static final int LENGTH = Sizes.MESSAGE;
    private static final int SEND_OFFSET = RECEIVES * LENGTH;

    private final Patience patience;
    private final CompletionQueue cq;
    private final QueuePair qp;
    private final UnsafeBuffer memory;
    private final long address;
    private final int lkey;
    private WcStatus failure = WcStatus.SUCCESS;
    private long received = -1;
    private int freeSlot = -1;

    /** Everything is closed with the context. */
    Endpoint(final RdmaContext context, final Patience patience) {
        this.patience = patience;
        cq = context.createCq(2 * QUEUE);
        final ProtectionDomain pd = context.allocatePd();
        qp = pd.createQp(new QpOptions().cq(cq).maxSendWr(QUEUE).maxReceiveWr(QUEUE));
        final PinnedMemory pinned = context.allocate(SEND_OFFSET + LENGTH);
        final MemoryRegion region = pd.register(pinned, AccessFlag.LOCAL_WRITE);
        memory = pinned.buffer();
        address = region.address();
        lkey = region.lkey();
    }

    QueuePair queuePair() {
        return qp;
    }

    void fillReceiveQueue() {
        for (int slot = 0; slot < RECEIVES; slot++) {
            postReceive(slot);
        }
    }

    private void postReceive(final int slot) {
        require(qp.postReceive(slot, address + (long) slot * LENGTH, LENGTH, lkey), "post receive");
    }

    void send(final long n) {
        memory.putLong(SEND_OFFSET, n);
        require(qp.postSend(n, address + SEND_OFFSET, LENGTH, lkey), "post send");
    }

    private static void require(final int code, final String operation) {
        if (code != ReturnCode.OK) {
            throw new IllegalStateException(operation + ": " + ReturnCode.nameOf(code));
        }
    }

    /** Polls until a message came and checks that it is number n. */
    void await(final long n) {
        while (freeSlot < 0) {
            if (cq.poll(this, POLL_LIMIT) < 0 || failure != WcStatus.SUCCESS) {
                throw new IllegalStateException("polling for message " + n + ": " + failure);
            }
            patience.check();
        }
        if (received != n) {
            throw new IllegalStateException("message " + received + " came instead of " + n);
        }
        postReceive(freeSlot);
        freeSlot = -1;
    }

    /** Polls once. */
    int poll() {
        return cq.poll(this, POLL_LIMIT);
    }

    @Override
    public void onCompletion(final Completion completion) {
        if (completion.status() != WcStatus.SUCCESS) {
            failure = completion.status();
        } else if (completion.opcode() == WcOpcode.RECV) {
            freeSlot = (int) completion.wrId();
            received = memory.getLong(freeSlot * LENGTH);
        }
    }
}
