/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.benchmarks.scaling;

import io.rdma4j.benchmarks.harness.Patience;
import io.rdma4j.benchmarks.harness.Sizes;
import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.Completion;
import io.rdma4j.verbs.CompletionHandler;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.PinnedMemory;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.QpAttributes;
import io.rdma4j.verbs.QpConnector;
import io.rdma4j.verbs.QpOptions;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.RdmaContext;
import io.rdma4j.verbs.ReturnCode;
import io.rdma4j.verbs.SendOpcode;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.WcOpcode;
import io.rdma4j.verbs.WcStatus;
import java.util.Set;
import org.agrona.BitUtil;

/**
 * Queue pairs that send, each to one of its own that receives, all with the same completion queue. The receiving side
 * has as many receives as the sending one has sends, and is given a new one before the place of the send is free: no
 * send ever finds none.
 */
final class ScalingGroup implements CompletionHandler {
    private static final int LENGTH = Sizes.MESSAGE;
    private static final int DEPTH = 16;
    /** What a pair of QPs can have in its CQ: the depth in each direction of use, and the least in the other. */
    private static final int RESERVED = 2 * (DEPTH + 1);
    private static final int POLL_LIMIT = 16;
    private static final AccessFlag[] RIGHTS = {AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE};

    private final Patience patience;
    private final CompletionQueue cq;
    private final QueuePair[] senders;
    private final QueuePair[] receivers;
    private final long sources;
    private final long targets;
    private final long slots;
    private final int lkey;
    private final int rkey;
    private final ScalingOrder order;
    private final SendRequest request = new SendRequest();
    private WcStatus failure = WcStatus.SUCCESS;
    private long completed;

    /** Everything is closed with the context. */
    ScalingGroup(final RdmaContext context, final int count, final Patience patience) {
        this.patience = patience;
        cq = context.createCq(BitUtil.findNextPositivePowerOfTwo(count * RESERVED + 1));
        final ProtectionDomain pd = context.allocatePd();
        final long all = (long) count * LENGTH;
        final PinnedMemory memory = context.allocate((2 + DEPTH) * all);
        final MemoryRegion region = pd.register(memory, RIGHTS);
        sources = region.address();
        targets = sources + all;
        slots = targets + all;
        lkey = region.lkey();
        rkey = region.rkey();
        order = new ScalingOrder(count);
        senders = new QueuePair[count];
        receivers = new QueuePair[count];
        for (int i = 0; i < count; i++) {
            connect(pd, i);
        }
        request.opcode(SendOpcode.RDMA_WRITE).flags(SendRequest.SIGNALED);
    }

    /** So many messages in turn use each place of each queue once. */
    long around() {
        return (long) senders.length * DEPTH;
    }

    private void connect(final ProtectionDomain pd, final int i) {
        senders[i] = pd.createQp(new QpOptions().cq(cq).maxSendWr(DEPTH).maxReceiveWr(1));
        receivers[i] = pd.createQp(new QpOptions().cq(cq).maxSendWr(1).maxReceiveWr(DEPTH));
        final QpAttributes rights = new QpAttributes().accessFlags(Set.of(RIGHTS));
        QpConnector.connect(senders[i], receivers[i].localAddress());
        QpConnector.connect(receivers[i], senders[i].localAddress(), rights);
        for (int slot = i * DEPTH; slot < (i + 1) * DEPTH; slot++) {
            postReceive(slot);
        }
    }

    private void postReceive(final int slot) {
        require(receivers[slot / DEPTH].postReceive(slot, slots + (long) slot * LENGTH, LENGTH, lkey), "receive");
    }

    private static void require(final int code, final String operation) {
        if (code != ReturnCode.OK) {
            throw new IllegalStateException("post " + operation + ": " + ReturnCode.nameOf(code));
        }
    }

    private int send(final int i) {
        return senders[i].postSend(i, sources + (long) i * LENGTH, LENGTH, lkey);
    }

    private int write(final int i) {
        final long offset = (long) i * LENGTH;
        return senders[i].postSend(
            request.wrId(i).sge(sources + offset, LENGTH, lkey).remote(targets + offset, rkey));
    }

    /** One SEND at a time, until both completions are there and a receive is posted again. */
    void send(final long times, final boolean randomly) {
        for (long n = 0; n < times; n++) {
            require(send(order.next(randomly)), "send");
            poll(2);
        }
    }

    /** One WRITE at a time, until its completion is there. */
    void write(final long times, final boolean randomly) {
        for (long n = 0; n < times; n++) {
            require(write(order.next(randomly)), "write");
            poll(1);
        }
    }

    /** SENDs that {@link #poll} of another thread completes. */
    void postSends(final long times, final boolean randomly) {
        for (long n = 0; n < times; n++) {
            final int i = order.next(randomly);
            int code = send(i);
            while (code == ReturnCode.QUEUE_FULL) {
                patience.check();
                code = send(i);
            }
            require(code, "send");
        }
    }

    /** WRITEs that {@link #poll} of another thread completes. */
    void postWrites(final long times, final boolean randomly) {
        for (long n = 0; n < times; n++) {
            final int i = order.next(randomly);
            int code = write(i);
            while (code == ReturnCode.QUEUE_FULL) {
                patience.check();
                code = write(i);
            }
            require(code, "write");
        }
    }

    /** Polls until so many completions came. */
    void poll(final long completions) {
        final long enough = completed + completions;
        while (completed < enough) {
            if (cq.poll(this, POLL_LIMIT) < 0 || failure != WcStatus.SUCCESS) {
                throw new IllegalStateException("polling: " + failure);
            }
            patience.check();
        }
    }

    @Override
    public void onCompletion(final Completion completion) {
        completed++;
        if (completion.status() != WcStatus.SUCCESS) {
            failure = completion.status();
        } else if (completion.opcode() == WcOpcode.RECV) {
            postReceive((int) completion.wrId());
        }
    }
}
