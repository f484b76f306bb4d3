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
import io.rdma4j.verbs.ReceiveRequest;
import io.rdma4j.verbs.ReturnCode;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.SendTemplate;
import io.rdma4j.verbs.WcOpcode;
import io.rdma4j.verbs.WcStatus;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * One end of a connection, used as one would who counts nanoseconds: a completion queue for each direction, the send
 * prepared once, one in 16 makes a completion, and receives are posted again in batches, after the answer has gone out.
 */
final class LeanEndpoint extends Padded implements CompletionHandler {
    private static final int SIGNALED = 16;
    private static final int BATCH = 8;
    private static final int RECEIVES = 4 * BATCH;
    private static final int QUEUE = 4 * SIGNALED;
    private static final int POLL_LIMIT = 4;
    private static final int LENGTH = Sizes.MESSAGE;
    private static final int SEND_OFFSET = RECEIVES * LENGTH;

    private final Patience patience;
    private final CompletionQueue sendCq;
    private final CompletionQueue receiveCq;
    private final QueuePair qp;
    private final UnsafeBuffer memory;
    private final SendTemplate unsignaledSend;
    private final SendTemplate signaledSend;
    private final ReceiveRequest[] receives = new ReceiveRequest[RECEIVES];
    private final ReceiveRequest[] batch = new ReceiveRequest[BATCH];
    private int taken;
    private int unsignaled;
    private WcStatus failure = WcStatus.SUCCESS;
    private long received = -1;

    /** Everything is closed with the context. */
    LeanEndpoint(final RdmaContext context, final Patience patience) {
        this.patience = patience;
        sendCq = context.createCq(2 * QUEUE);
        receiveCq = context.createCq(2 * QUEUE);
        final ProtectionDomain pd = context.allocatePd();
        qp = pd.createQp(new QpOptions().sendCq(sendCq).receiveCq(receiveCq).maxSendWr(QUEUE)
            .maxReceiveWr(RECEIVES));
        final PinnedMemory pinned = context.allocate(SEND_OFFSET + LENGTH);
        final MemoryRegion region = pd.register(pinned, AccessFlag.LOCAL_WRITE);
        memory = pinned.buffer();
        final SendRequest send = new SendRequest().sge(region.address() + SEND_OFFSET, LENGTH, region.lkey());
        signaledSend = qp.prepare(send);
        unsignaledSend = qp.prepare(send.flags(0));
        for (int slot = 0; slot < RECEIVES; slot++) {
            receives[slot] = new ReceiveRequest().wrId(slot)
                .sge(region.address() + (long) slot * LENGTH, LENGTH, region.lkey());
        }
    }

    QueuePair queuePair() {
        return qp;
    }

    void fillReceiveQueue() {
        if (qp.postReceive(receives, RECEIVES) != RECEIVES) {
            throw new IllegalStateException("the receive queue does not take " + RECEIVES);
        }
    }

    void send(final long n) {
        memory.putLong(SEND_OFFSET, n);
        final boolean signaled = ++unsignaled == SIGNALED;
        final int posted = (signaled ? signaledSend : unsignaledSend).post();
        if (posted != 1) {
            throw new IllegalStateException("post send: " + ReturnCode.nameOf(posted));
        }
        if (signaled) {
            unsignaled = 0;
        }
    }

    /** Polls until message n is there. */
    void await(final long n) {
        while (received != n) {
            poll(receiveCq);
            patience.check();
        }
    }

    private void poll(final CompletionQueue cq) {
        if (cq.poll(this, POLL_LIMIT) < 0 || failure != WcStatus.SUCCESS) {
            throw new IllegalStateException("polling after message " + received + ": " + failure);
        }
    }

    /** What can wait: gives receives back, when enough of them are worth a doorbell, and takes sends' completions. */
    void tidy() {
        if (unsignaled == 0) {
            poll(sendCq);
        }
        if (taken == BATCH) {
            taken = 0;
            final int posted = qp.postReceive(batch, BATCH);
            if (posted != BATCH) {
                throw new IllegalStateException("post receives: " + ReturnCode.nameOf(posted));
            }
        }
    }

    @Override
    public void onCompletion(final Completion completion) {
        if (completion.status() != WcStatus.SUCCESS) {
            failure = completion.status();
        } else if (completion.opcode() == WcOpcode.RECV) {
            final int slot = (int) completion.wrId();
            received = memory.getLong(slot * LENGTH);
            batch[taken++] = receives[slot];
        }
    }
}
