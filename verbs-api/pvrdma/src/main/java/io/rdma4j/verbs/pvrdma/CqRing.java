/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import io.rdma4j.hw.pvrdma.Cqe;
import io.rdma4j.hw.pvrdma.RingState;
import io.rdma4j.hw.pvrdma.Uar;
import io.rdma4j.queues.CompletionQueue;
import io.rdma4j.queues.ObservedCompletionQueue;
import io.rdma4j.verbs.pvrdma.trace.DeviceTrace;

import org.agrona.concurrent.UnsafeBuffer;

/**
 * The ring that a CQ has for a time: resizing gives it another one. Positions count the CQEs from the beginning of the
 * CQ, through all its rings.
 */
final class CqRing {
    final CompletionQueue queue;
    final UnsafeBuffer cqes;
    final RingMemory memory;
    /** Position of what the first index stands for. */
    private final long base;

    private CqRing(final CompletionQueue queue, final RingMemory memory, final long base) {
        this.queue = queue;
        this.cqes = queue.buffer();
        this.memory = memory;
        this.base = base;
    }

    static CqRing of(
        final PvrdmaContext context, final int handle, final RingMemory memory, final int count, final long base) {
        return new CqRing(queue(context, handle, memory, count), memory, base);
    }

    /** One that is traced is of another class, so that nothing has to be asked about it while completions are read. */
    private static CompletionQueue queue(
        final PvrdmaContext context, final int handle, final RingMemory memory, final int count) {
        final DeviceTrace trace = context.device.trace();
        return trace.isOfData()
            ? new ObservedCompletionQueue(memory.buffer(), RingState.RX_OFFSET, RingMemory.ELEMENTS_OFFSET, count,
                context.doorbell, handle, (cqes, cqe) -> trace.completed(handle, cqes, cqe))
            : new CompletionQueue(memory.buffer(), RingState.RX_OFFSET, RingMemory.ELEMENTS_OFFSET, count,
                context.doorbell, handle);
    }

    int count() {
        return queue.count();
    }

    int cqeAt(final long position) {
        return RingMemory.ELEMENTS_OFFSET + ((int) (position - base) & count() - 1) * Cqe.LENGTH;
    }

    int qpHandleAt(final long position) {
        return (int) Cqe.qp(cqes, cqeAt(position)) & Uar.HANDLE_MASK;
    }

    boolean isReceiveAt(final long position) {
        return Opcodes.isReceive(Cqe.opcode(cqes, cqeAt(position)));
    }

    /** Where the device writes next, if that is less than two rings behind a position. */
    long tailAfter(final long position) {
        final int tail = cqes.getIntAcquire(RingState.RX_OFFSET + RingState.PROD_TAIL_OFFSET);
        return position + (tail - (int) (position - base) & 2 * count() - 1);
    }

    @Override
    public String toString() {
        return queue.toString();
    }
}
