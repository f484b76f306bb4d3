/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.traffic;

import io.rdma4j.RdmaException;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.PinnedMemory;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.ReceiveRequest;
import io.rdma4j.verbs.ReturnCode;
import io.rdma4j.verbs.SendOpcode;
import io.rdma4j.verbs.SendRequest;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * A QP with its memory: a part that messages come from, and a part that they go to, which all receives share. A request
 * is numbered within its lane; a completion says that all requests up to its number are done. For one thread at a time;
 * allocates nothing after {@link #aim}.
 */
final class Lane {
    private static final int PAGE = 4096;
    private static final int LANE_SHIFT = 48;
    private static final long NUMBER = (1L << LANE_SHIFT) - 1;
    private static final int RECEIVE_LIST = 16;

    private final int index;
    private final QueuePair qp;
    private final MemoryRegion region;
    private final UnsafeBuffer outgoing;
    private final UnsafeBuffer incoming;
    private final long outgoingAddress;
    private final long incomingAddress;
    private final SendRequest[] list;
    private final ReceiveRequest[] receives;
    private final int txDepth;
    private final int cqMod;
    private final int rxDepth;
    private final int inline;
    private final boolean needsMemory;
    private RemoteMemory peer;
    private int bytes;
    private long posted;
    private long completed;
    private long received;
    private long receivesPosted;

    Lane(final int index, final ProtectionDomain pd, final QueuePair qp, final PerfOptions options) {
        this.index = index;
        this.qp = qp;
        final PerfOptions.Queues queues = options.queues();
        txDepth = queues.txDepth();
        cqMod = queues.cqMod();
        rxDepth = queues.rxDepth();
        inline = queues.inline();
        final int capacity = Math.max(1, options.load().largest());
        final long half = (capacity + PAGE - 1L) / PAGE * PAGE;
        final PinnedMemory memory = pd.context().allocate(2 * half);
        // One region for both: devices find a key sooner that was the last one, too.
        region = pd.register(memory, RegisteredMemory.allowing(options.operation().rights()));
        outgoing = memory.buffer(0, capacity);
        incoming = memory.buffer((int) half, capacity);
        outgoingAddress = memory.address();
        incomingAddress = memory.address() + half;
        needsMemory = options.operation() != Operation.SEND;
        list = new SendRequest[queues.postList()];
        receives = new ReceiveRequest[Math.max(1, Math.min(RECEIVE_LIST, rxDepth / 2))];
        for (int i = 0; i < receives.length; i++) {
            receives[i] = new ReceiveRequest().wrId(index).sge(incomingAddress, capacity, region.lkey());
        }
    }

    static int indexOf(final long wrId) {
        return (int) (wrId >>> LANE_SHIFT);
    }

    static long numberOf(final long wrId) {
        return wrId & NUMBER;
    }

    QueuePair qp() {
        return qp;
    }

    /** For messages the peer needs no memory. */
    RemoteMemory lent() {
        return needsMemory ? new RemoteMemory(incomingAddress, region.rkey()) : RemoteMemory.NONE;
    }

    void meet(final RemoteMemory theirs) {
        peer = theirs;
    }

    UnsafeBuffer outgoing() {
        return outgoing;
    }

    UnsafeBuffer incoming() {
        return incoming;
    }

    /** Makes the requests of a size. Not while there are some under way. */
    void aim(final SendOpcode opcode, final int size) {
        bytes = size;
        for (int i = 0; i < list.length; i++) {
            list[i] = new SendRequest().opcode(opcode).remote(peer.address(), peer.rkey()).atomic(1, 1);
            if (inline > 0 && size <= inline) {
                list[i].inline(outgoing, 0, size);
            } else {
                list[i].sge(outgoingAddress, size, region.lkey());
            }
        }
    }

    /**
     * Posts what fits at once: at most a list.
     *
     * @param last number of the last request, which makes a completion in any case.
     * @return how many were posted.
     * @throws RdmaException EIO if the queue refuses for another reason than being full.
     */
    int post(final long last) {
        final int count = (int) Math.min(Math.min(list.length, last - posted), txDepth - (posted - completed));
        if (count <= 0) {
            return 0;
        }
        for (int i = 0; i < count; i++) {
            final long number = posted + 1 + i;
            list[i].wrId((long) index << LANE_SHIFT | number)
                .flags(number % cqMod == 0 || number == last ? SendRequest.SIGNALED : 0);
        }
        final int code = count == 1 ? qp.postSend(list[0]) : qp.postSend(list, count);
        if (code < 0) {
            return refused(code, "post send");
        }
        final int accepted = count == 1 ? 1 : code;
        posted += accepted;
        return accepted;
    }

    /** Posts one request that makes a completion, once there is room. */
    void postOne(final PerfEnd end, final Patience patience) {
        while (post(posted + 1) == 0) {
            if (end.pollSends() == 0) {
                patience.idle();
            }
        }
    }

    /** A device may free a slot a moment after its completion is seen. */
    private int refused(final int code, final String operation) {
        if (code == ReturnCode.QUEUE_FULL) {
            return 0;
        }
        final String failure = qp.pd().context().failure();
        throw RdmaException.of(operation).device(qp.pd().context().address()).object(this)
            .detail("returned %s%s", ReturnCode.nameOf(code), failure == null ? "" : ": " + failure)
            .errno(RdmaException.EIO).build();
    }

    /** Whether the last request that was posted makes a completion. */
    boolean endsSignaled(final long last) {
        return posted == last || posted % cqMod == 0;
    }

    /**
     * A completion came.
     *
     * @return how many requests it tells of; negative if none of them can be meant.
     */
    long complete(final long number) {
        final long news = number > posted ? -1 : number - completed;
        completed = Math.max(completed, number);
        return news;
    }

    /** A message came. */
    void receive() {
        received++;
    }

    /** Posts receives again, as many as make a list. */
    void replenish() {
        while (receivesPosted - received <= rxDepth - receives.length) {
            final int code = receives.length == 1
                ? qp.postReceive(receives[0]) : qp.postReceive(receives, receives.length);
            final int accepted = code < 0 ? refused(code, "post receive") : receives.length == 1 ? 1 : code;
            receivesPosted += accepted;
            if (accepted < receives.length) {
                return;
            }
        }
    }

    int bytes() {
        return bytes;
    }

    long posted() {
        return posted;
    }

    long completed() {
        return completed;
    }

    long received() {
        return received;
    }

    @Override
    public String toString() {
        return String.format("QP 0x%06x (%d posted, %d completed, %d received)", qp.qpNumber(), posted, completed,
            received);
    }
}
