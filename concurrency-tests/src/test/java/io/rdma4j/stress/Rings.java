/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.stress;

import io.rdma4j.hw.pvrdma.Cqe;
import io.rdma4j.hw.pvrdma.Pdir;
import io.rdma4j.hw.pvrdma.RqWqe;
import io.rdma4j.hw.pvrdma.Sge;
import io.rdma4j.hw.pvrdma.SqWqe;
import io.rdma4j.queues.CompletionQueue;
import io.rdma4j.queues.CqeProducer;
import io.rdma4j.queues.Doorbell;
import io.rdma4j.queues.SendQueue;
import io.rdma4j.queues.SharedReceiveQueue;
import io.rdma4j.queues.WqeConsumer;
import org.agrona.BufferUtil;
import org.agrona.concurrent.UnsafeBuffer;

/** Both ends of small rings. */
final class Rings {
    private static final int STATE = 0;
    private static final int ELEMENTS = 64;
    private static final int HANDLE = 1;
    private static final Doorbell SILENT = (offset, word) -> { };

    private final UnsafeBuffer memory = new UnsafeBuffer(
        BufferUtil.allocateDirectAligned(ELEMENTS + Pdir.PAGE_SIZE, ELEMENTS));

    SendQueue sendQueue(final int count) {
        return new SendQueue(memory, STATE, ELEMENTS, count, 1, SILENT, HANDLE);
    }

    SharedReceiveQueue sharedReceiveQueue(final int count) {
        return new SharedReceiveQueue(memory, STATE, ELEMENTS, count, 1, SILENT, HANDLE);
    }

    CompletionQueue completionQueue(final int count, final Doorbell doorbell) {
        return new CompletionQueue(memory, STATE, ELEMENTS, count, doorbell, HANDLE);
    }

    CompletionQueue completionQueue(final int count) {
        return completionQueue(count, SILENT);
    }

    WqeConsumer sendConsumer(final int count) {
        return new WqeConsumer(memory, STATE, pages(), count, SqWqe.stride(1));
    }

    WqeConsumer receiveConsumer(final int count) {
        return new WqeConsumer(memory, STATE, pages(), count, RqWqe.stride(1));
    }

    CqeProducer cqeProducer(final int count) {
        return new CqeProducer(memory, STATE, pages(), count, Cqe.LENGTH);
    }

    private UnsafeBuffer[] pages() {
        return new UnsafeBuffer[] {new UnsafeBuffer(memory, ELEMENTS, Pdir.PAGE_SIZE)};
    }

    /** Posts a WQE in which each field tells the same number. */
    static boolean post(final SendQueue queue, final int number) {
        final int wqe = queue.claim(number, number);
        if (wqe < 0) {
            return false;
        }
        final UnsafeBuffer buffer = queue.buffer();
        SqWqe.numSge(buffer, wqe, number);
        SqWqe.opcode(buffer, wqe, number);
        Sge.set(buffer, SqWqe.sgeOffset(wqe, 0), number, number, number);
        queue.commit();
        queue.publish();
        return true;
    }

    /** The number that a WQE tells, or -1 if its fields differ. */
    static int read(final WqeConsumer consumer) {
        final UnsafeBuffer page = consumer.page();
        final int wqe = consumer.offset();
        final int sge = SqWqe.sgeOffset(wqe, 0);
        final int number = Sge.lkey(page, sge);
        final boolean same = SqWqe.numSge(page, wqe) == number && SqWqe.opcode(page, wqe) == number
            && Sge.addr(page, sge) == number && Sge.length(page, sge) == number;
        return same ? number : -1;
    }

    static boolean post(final SharedReceiveQueue queue, final int number) {
        final int wqe = queue.claim(number);
        if (wqe < 0) {
            return false;
        }
        RqWqe.numSge(queue.buffer(), wqe, number);
        Sge.set(queue.buffer(), RqWqe.sgeOffset(wqe, 0), number, number, number);
        queue.commit();
        queue.publish();
        return true;
    }

    static int readReceive(final WqeConsumer consumer) {
        final UnsafeBuffer page = consumer.page();
        final int wqe = consumer.offset();
        final int sge = RqWqe.sgeOffset(wqe, 0);
        final int number = Sge.lkey(page, sge);
        final boolean same = RqWqe.wrId(page, wqe) == number && RqWqe.numSge(page, wqe) == number
            && Sge.addr(page, sge) == number && Sge.length(page, sge) == number;
        return same ? number : -1;
    }

    static boolean complete(final CqeProducer producer, final int number) {
        if (!producer.claim()) {
            return false;
        }
        final UnsafeBuffer page = producer.page();
        final int cqe = producer.offset();
        Cqe.wrId(page, cqe, number);
        Cqe.qp(page, cqe, number);
        Cqe.byteLen(page, cqe, number);
        Cqe.vendorErr(page, cqe, number);
        producer.publish();
        return true;
    }

    /** The number that the oldest CQE tells, or -1 if its fields differ. */
    static int read(final CompletionQueue queue) {
        final UnsafeBuffer buffer = queue.buffer();
        final int cqe = queue.cqeOffset(0);
        final int number = Cqe.vendorErr(buffer, cqe);
        final boolean same = Cqe.wrId(buffer, cqe) == number && Cqe.qp(buffer, cqe) == number
            && Cqe.byteLen(buffer, cqe) == number;
        return same ? number : -1;
    }
}
