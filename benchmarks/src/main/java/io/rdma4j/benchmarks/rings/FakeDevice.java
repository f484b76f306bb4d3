/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.benchmarks.rings;

import io.rdma4j.benchmarks.harness.Sizes;
import io.rdma4j.hw.layout.Words;
import io.rdma4j.hw.pvrdma.Cqe;
import io.rdma4j.hw.pvrdma.CqeWords;
import io.rdma4j.hw.pvrdma.Pdir;
import io.rdma4j.hw.pvrdma.RingGeometry;
import io.rdma4j.hw.pvrdma.RingState;
import io.rdma4j.hw.pvrdma.RqWqe;
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
import org.agrona.UnsafeApi;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * A queue pair and a completion queue whose device is the thread that uses them; doorbells are ordinary memory. Sizes
 * are those of {@code c/rings.c}.
 */
public final class FakeDevice {
    /** Work requests that a send queue of the usual size takes. */
    public static final int SEND_COUNT = 128;
    static final int RECEIVE_COUNT = 128;
    static final int SIGNALED = 2;
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
    @SuppressWarnings("unused") // Else the JIT would leave out what is added up in it.
    private long touched;

    /**
     * Its rings, empty.
     *
     * @param sendCount work requests that the send queue takes
     * @param cqeCount  completions that the completion queue takes
     */
    public FakeDevice(final int sendCount, final int cqeCount) {
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

    /** Posts one SEND and rings for it. */
    public void postSend() {
        send();
        show(sends);
    }

    /** Posts one receive and rings for it. */
    public void postReceive() {
        final long id = ++userWrId;
        if (receives.put(0, id, ADDRESS, Sizes.MESSAGE, LKEY) < 0) {
            consume(receiveConsumer, receives);
            requireRoom(receives.put(0, id, ADDRESS, Sizes.MESSAGE, LKEY) >= 0);
        }
        receives.commit();
        show(receives);
    }

    /** Writes one SEND and commits it; makes room first if there is none. */
    void send() {
        final long id = ++userWrId;
        if (put(0, id) < 0) {
            consume(sendConsumer, sends);
            requireRoom(put(0, id) >= 0);
        }
        sends.commit();
    }

    /** Posts so many SENDs, which divide the size of the queue, and rings once. */
    void postSends(final int count) {
        for (int i = 0; i < count; i++) {
            if (put(i, i) < 0) {
                consume(sendConsumer, sends);
                requireRoom(put(i, i) >= 0);
            }
        }
        sends.commit(count);
        show(sends);
    }

    private int put(final int ahead, final long id) {
        return sends.put(ahead, id, WrOpcode.PVRDMA_WR_SEND, SIGNALED, ADDRESS, Sizes.MESSAGE, LKEY);
    }

    private void requireRoom(final boolean isThere) {
        if (!isThere) {
            throw new IllegalStateException("no room after the fake device took all: " + sends + " " + receives);
        }
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
        final long wqe = sendConsumer.address();
        final long wrId = UnsafeApi.getLong(wqe + SqWqe.WR_ID_OFFSET);
        if (UnsafeApi.getInt(wqe + SqWqe.NUM_SGE_OFFSET) > MAX_SGE) {
            throw new IllegalStateException("the fake device read a wrong WQE: " + sendConsumer);
        }
        sendConsumer.advance();
        complete(wrId);
    }

    private void complete(final long wrId) {
        final long cqe = producer.address();
        Words.put(cqe + Cqe.WR_ID_OFFSET, wrId);
        Words.put(cqe + Cqe.QP_OFFSET, HANDLE);
        Words.put(cqe + Cqe.OPCODE_OFFSET, Words.pair(WcOpcode.PVRDMA_WC_SEND, WcStatus.PVRDMA_WC_SUCCESS));
        Words.put(cqe + Cqe.BYTE_LEN_OFFSET, Words.pair(Sizes.MESSAGE, 0));
        Words.put(cqe + Cqe.SRC_QP_OFFSET, 0);
        Words.put(cqe + Cqe.VENDOR_ERR_OFFSET, 0);
        producer.publish();
    }

    /**
     * Polls as a verbs layer does: finds the queue, believes only what is outstanding, hands over, retires.
     *
     * @param limit completions at most
     * @return what they said
     */
    public long poll(final int limit) {
        final CompletionQueue cq = completions;
        final SendQueue[] table = queuePairs;
        final int n = Math.min(cq.available(limit), limit);
        final long base = cq.buffer().addressOffset();
        long sum = 0;
        for (int i = 0; i < n; i++) {
            final long cqe = base + cq.cqeOffset(i);
            final long seq = CqeWords.wrId(cqe);
            final SendQueue queue = table[CqeWords.qp(cqe) & (table.length - 1)];
            final int opcode = CqeWords.opcode(cqe);
            final int status = CqeWords.status(cqe);
            final int bytes = CqeWords.byteLen(cqe);
            if (queue != null && queue.isOutstanding(seq)) {
                sum += queue.userWrId(seq) + opcode + status + bytes + queue.flags(seq);
                queue.retireOutstanding(seq);
            }
        }
        cq.consume(n);
        return sum;
    }

    /**
     * Fills both queues: as many completed sends as the completion queue holds are ready to be polled.
     *
     * @return how many
     */
    public int fill() {
        for (int i = 0; i < completions.count(); i++) {
            send();
            sends.publish();
        }
        for (int i = 0; i < completions.count(); i++) {
            execute();
        }
        touch();
        return completions.count();
    }

    /** The device of the C program writes only CQEs, which stay in the first cache. Here it read WQEs as well. */
    private void touch() {
        long sum = 0;
        for (int i = 0; i < completions.count(); i++) {
            sum += Cqe.wrId(completions.buffer(), completions.cqeOffset(i));
        }
        touched = sum;
    }
}
