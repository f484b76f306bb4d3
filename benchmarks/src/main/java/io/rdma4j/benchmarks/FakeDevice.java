/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.benchmarks;

import io.rdma4j.hw.pvrdma.Cqe;
import io.rdma4j.hw.pvrdma.Pdir;
import io.rdma4j.hw.pvrdma.RingGeometry;
import io.rdma4j.hw.pvrdma.RingState;
import io.rdma4j.hw.pvrdma.RqWqe;
import io.rdma4j.hw.pvrdma.Sge;
import io.rdma4j.hw.pvrdma.SqWqe;
import io.rdma4j.hw.pvrdma.WcOpcode;
import io.rdma4j.hw.pvrdma.WcStatus;
import io.rdma4j.hw.pvrdma.WrOpcode;
import io.rdma4j.queues.CompletionQueue;
import io.rdma4j.queues.CqeProducer;
import io.rdma4j.queues.Doorbell;
import io.rdma4j.queues.MappedDoorbell;
import io.rdma4j.queues.ReceiveQueue;
import io.rdma4j.queues.SendQueue;
import io.rdma4j.queues.SequencedQueue;
import io.rdma4j.queues.WorkQueue;
import io.rdma4j.queues.WqeConsumer;
import java.nio.ByteBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * A queue pair and a completion queue whose device is the thread that uses them; doorbells are ordinary memory. Sizes
 * are those of {@code c/rings.c}.
 */
final class FakeDevice {
    static final int SEND_COUNT = 128;
    static final int RECEIVE_COUNT = 128;
    static final int SIGNALED = 2;
    static final int MESSAGE_LENGTH = 64;
    static final int HANDLE = 5;

    private static final int MAX_SGE = 1;
    private static final int LKEY = 7;
    private static final long ADDRESS = 0x10000;
    private static final int QP_TABLE = 1024;

    final SendQueue sends;
    final ReceiveQueue receives;
    final CompletionQueue completions;

    private final Doorbell doorbell = new MappedDoorbell(pages(1));
    private final WqeConsumer sendConsumer;
    private final WqeConsumer receiveConsumer;
    private final CqeProducer producer;
    private final SendQueue[] queuePairs = new SendQueue[QP_TABLE];
    private long userWrId;

    FakeDevice(final int sendCount, final int cqeCount) {
        final UnsafeBuffer sq = ring(sendCount, SqWqe.stride(MAX_SGE));
        sends = new SendQueue(sq, RingState.TX_OFFSET, Pdir.PAGE_SIZE, sendCount, MAX_SGE, doorbell, HANDLE);
        sendConsumer = new WqeConsumer(sq, RingState.TX_OFFSET, elements(sq), sendCount, SqWqe.stride(MAX_SGE));
        final UnsafeBuffer rq = ring(RECEIVE_COUNT, RqWqe.stride(MAX_SGE));
        receives = new ReceiveQueue(rq, RingState.RX_OFFSET, Pdir.PAGE_SIZE, RECEIVE_COUNT, MAX_SGE, doorbell, HANDLE);
        receiveConsumer = new WqeConsumer(rq, RingState.RX_OFFSET, elements(rq), RECEIVE_COUNT, RqWqe.stride(MAX_SGE));
        final UnsafeBuffer cq = ring(cqeCount, Cqe.LENGTH);
        completions = new CompletionQueue(cq, RingState.RX_OFFSET, Pdir.PAGE_SIZE, cqeCount, doorbell, HANDLE);
        producer = new CqeProducer(cq, RingState.RX_OFFSET, elements(cq), cqeCount, Cqe.LENGTH);
        queuePairs[HANDLE] = sends;
    }

    private static UnsafeBuffer pages(final int n) {
        return new UnsafeBuffer(ByteBuffer.allocateDirect((n + 1) * Pdir.PAGE_SIZE).alignedSlice(Pdir.PAGE_SIZE));
    }

    private static UnsafeBuffer ring(final int count, final int stride) {
        return pages(1 + RingGeometry.pagesFor(count, stride));
    }

    private static UnsafeBuffer[] elements(final UnsafeBuffer ring) {
        final UnsafeBuffer[] pages = new UnsafeBuffer[ring.capacity() / Pdir.PAGE_SIZE - 1];
        for (int i = 0; i < pages.length; i++) {
            pages[i] = new UnsafeBuffer(ring, (1 + i) * Pdir.PAGE_SIZE, Pdir.PAGE_SIZE);
        }
        return pages;
    }

    /** Writes one SEND and commits it; makes room first if there is none. */
    void send() {
        int wqe = sends.claim(++userWrId, SIGNALED);
        if (wqe < 0) {
            consume(sendConsumer, sends);
            wqe = sends.claim(userWrId, SIGNALED);
        }
        final UnsafeBuffer buffer = sends.buffer();
        SqWqe.numSge(buffer, wqe, 1);
        SqWqe.opcode(buffer, wqe, WrOpcode.PVRDMA_WR_SEND);
        SqWqe.sendFlags(buffer, wqe, SIGNALED);
        Sge.set(buffer, SqWqe.sgeOffset(wqe, 0), ADDRESS, MESSAGE_LENGTH, LKEY);
        sends.commit();
    }

    void receive() {
        int wqe = receives.claim(++userWrId);
        if (wqe < 0) {
            consume(receiveConsumer, receives);
            wqe = receives.claim(userWrId);
        }
        final UnsafeBuffer buffer = receives.buffer();
        RqWqe.numSge(buffer, wqe, 1);
        Sge.set(buffer, RqWqe.sgeOffset(wqe, 0), ADDRESS, MESSAGE_LENGTH, LKEY);
        receives.commit();
    }

    static void show(final WorkQueue queue) {
        queue.publish();
        queue.ringDoorbell();
    }

    private static void consume(final WqeConsumer consumer, final SequencedQueue queue) {
        final int n = consumer.available();
        consumer.advance(n);
        queue.retireThrough(queue.oldestOutstanding() + n - 1);
    }

    /** Device: takes one WQE and completes it. */
    void execute() {
        if (sendConsumer.peek() != WqeConsumer.HAS_DATA || !producer.claim()) {
            throw new IllegalStateException("the fake device is out of step: " + sendConsumer + " " + producer);
        }
        final UnsafeBuffer page = sendConsumer.page();
        final int wqe = sendConsumer.offset();
        final long wrId = SqWqe.wrId(page, wqe);
        if (SqWqe.numSge(page, wqe) > MAX_SGE) {
            throw new IllegalStateException("the fake device read a wrong WQE: " + sendConsumer);
        }
        sendConsumer.advance();
        complete(wrId);
    }

    private void complete(final long wrId) {
        final UnsafeBuffer page = producer.page();
        final int cqe = producer.offset();
        Cqe.wrId(page, cqe, wrId);
        Cqe.qp(page, cqe, HANDLE);
        Cqe.opcode(page, cqe, WcOpcode.PVRDMA_WC_SEND);
        Cqe.status(page, cqe, WcStatus.PVRDMA_WC_SUCCESS);
        Cqe.byteLen(page, cqe, MESSAGE_LENGTH);
        Cqe.immData(page, cqe, 0);
        Cqe.srcQp(page, cqe, 0);
        Cqe.wcFlags(page, cqe, 0);
        Cqe.vendorErr(page, cqe, 0);
        producer.publish();
    }

    /** Polls as a verbs layer does: finds the queue, believes only what is outstanding, hands over, retires. */
    long poll(final int limit) {
        final int n = Math.min(completions.available(limit), limit);
        final UnsafeBuffer buffer = completions.buffer();
        long sum = 0;
        for (int i = 0; i < n; i++) {
            final int cqe = completions.cqeOffset(i);
            final long seq = Cqe.wrId(buffer, cqe);
            final SendQueue queue = queuePairs[(int) Cqe.qp(buffer, cqe) & (QP_TABLE - 1)];
            if (queue != null && queue.isOutstanding(seq)) {
                sum += queue.userWrId(seq) + Cqe.status(buffer, cqe) + Cqe.opcode(buffer, cqe)
                    + Cqe.byteLen(buffer, cqe) + queue.flags(seq);
                queue.retireThrough(seq);
            }
        }
        completions.consume(n);
        return sum;
    }

    /** Fills both queues: as many completed sends as the CQ holds are ready to be polled. */
    void fill() {
        for (int i = 0; i < completions.count(); i++) {
            send();
            sends.publish();
        }
        for (int i = 0; i < completions.count(); i++) {
            execute();
        }
    }
}
