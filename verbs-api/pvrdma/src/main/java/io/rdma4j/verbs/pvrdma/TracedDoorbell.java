/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import io.rdma4j.hw.pvrdma.RqWqe;
import io.rdma4j.hw.pvrdma.Sge;
import io.rdma4j.hw.pvrdma.SqWqe;
import io.rdma4j.hw.pvrdma.Uar;
import io.rdma4j.queues.Doorbell;
import io.rdma4j.queues.WorkQueue;
import io.rdma4j.verbs.pvrdma.trace.DeviceTrace;
import io.rdma4j.verbs.pvrdma.trace.TraceFormat;

import java.util.Map;
import java.util.WeakHashMap;

/**
 * A doorbell that first writes down what it shows to the device: the requests since it was rung last for that queue,
 * and which CQs are armed. Doorbells that ask for completions are left out: a program that polls rings as many as it
 * makes rounds.
 */
final class TracedDoorbell implements Doorbell {
    private final DeviceTrace trace;
    private final Doorbell doorbell;
    private final HandleTable<PvrdmaQp> qps;
    private final HandleTable<PvrdmaSrq> srqs;
    /** Of each queue: the number of the next element to write down. */
    private final Map<WorkQueue, Long> next = new WeakHashMap<>();

    TracedDoorbell(
        final DeviceTrace trace, final Doorbell doorbell, final HandleTable<PvrdmaQp> qps,
        final HandleTable<PvrdmaSrq> srqs) {
        this.trace = trace;
        this.doorbell = doorbell;
        this.qps = qps;
        this.srqs = srqs;
    }

    @Override
    public void ring(final int uarOffset, final int word) {
        final int handle = Uar.handle(word);
        switch (uarOffset) {
            case Uar.QP_OFFSET -> queuePair(handle, word);
            case Uar.SRQ_OFFSET -> shared(handle);
            default -> completions(word);
        }
        doorbell.ring(uarOffset, word);
    }

    private void queuePair(final int handle, final int word) {
        final PvrdmaQp qp = qps.get(handle);
        if (qp != null && (word & Uar.QP_SEND) != 0) {
            show(TraceFormat.SEND, handle, qp.sends.queue);
        } else if (qp != null && qp.receives.queue != null) {
            show(TraceFormat.RECEIVE, handle, qp.receives.queue);
        }
    }

    private void shared(final int handle) {
        final PvrdmaSrq srq = srqs.get(handle);
        if (srq != null) {
            show(TraceFormat.SHARED, handle, srq.queue);
        }
    }

    private void completions(final int word) {
        if ((word & (Uar.CQ_ARM | Uar.CQ_ARM_SOL)) != 0) {
            trace.armed(word);
        }
    }

    private void show(final String kind, final int handle, final WorkQueue queue) {
        final long end = queue.sequence();
        final long begin = Math.max(advance(queue, end), end - queue.count());
        for (long sequence = begin; sequence < end; sequence++) {
            final int wqe = queue.slotOffset((int) sequence);
            if (kind.equals(TraceFormat.SHARED) || isElement(queue, wqe, sequence)) {
                trace.posted(kind, handle, queue.buffer(), wqe, length(kind, queue, wqe));
            }
        }
    }

    private long advance(final WorkQueue queue, final long end) {
        synchronized (next) {
            final Long before = next.put(queue, end);
            return before == null ? 0 : before;
        }
    }

    /** The number of a request is in it. A queue that was reset leaves out the numbers up to its next lap. */
    private static boolean isElement(final WorkQueue queue, final int wqe, final long sequence) {
        return SqWqe.wrId(queue.buffer(), wqe) == sequence;
    }

    private static int length(final String kind, final WorkQueue queue, final int wqe) {
        final boolean send = kind.equals(TraceFormat.SEND);
        final int sges = send ? SqWqe.numSge(queue.buffer(), wqe) : RqWqe.numSge(queue.buffer(), wqe);
        return (send ? SqWqe.HEADER_LENGTH : RqWqe.HEADER_LENGTH)
            + Math.max(0, Math.min(sges, queue.maxSge())) * Sge.LENGTH;
    }
}
