/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.fake;

import io.rdma4j.verbs.CompletionChannel;
import io.rdma4j.verbs.CompletionHandler;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.RdmaContext;
import io.rdma4j.verbs.ReturnCode;
import io.rdma4j.verbs.WcOpcode;
import io.rdma4j.verbs.WcStatus;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** A ring of completions behind a lock. Allocates nothing after it was made. */
final class FakeCq implements CompletionQueue {
    private final FakeContext context;
    private final FakeCompletion[] ring;
    private long head;
    private long tail;
    private boolean armed;
    private boolean event;

    FakeCq(final FakeContext context, final int cqe) {
        this.context = context;
        ring = new FakeCompletion[cqe];
        for (int i = 0; i < cqe; i++) {
            ring[i] = new FakeCompletion();
        }
    }

    synchronized void add(
        final QueuePair qp, final long wrId, final WcStatus status, final WcOpcode opcode, final int byteLength) {
        if (tail - head == ring.length) {
            throw new IllegalStateException("CQ overflow: " + ring.length);
        }
        ring[(int) (tail++ % ring.length)].set(qp, wrId, status, opcode, byteLength);
        event |= armed;
        armed = false;
        notifyAll();
    }

    @Override
    public RdmaContext context() {
        return context;
    }

    @Override
    public CompletionChannel channel() {
        return null;
    }

    @Override
    public int capacity() {
        return ring.length;
    }

    @Override
    public void resize(final int cqe) {
        throw Unused.call("resize");
    }

    @Override
    public synchronized int poll(final CompletionHandler handler, final int limit) {
        if (context.isFailed()) {
            return ReturnCode.DEVICE_FAILED;
        }
        int count = 0;
        while (head < tail && count < limit) {
            handler.onCompletion(ring[(int) (head++ % ring.length)]);
            count++;
        }
        return count;
    }

    @Override
    public synchronized int requestNotify(final boolean solicitedOnly) {
        armed = true;
        return ReturnCode.OK;
    }

    @Override
    public synchronized boolean awaitEvent(final Duration timeout) {
        final long deadline = System.nanoTime() + timeout.toNanos();
        while (!event && !Thread.currentThread().isInterrupted()) {
            final long millis = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
            if (millis <= 0) {
                return false;
            }
            try {
                wait(millis);
            } catch (final InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        final boolean came = event;
        event = false;
        return came;
    }

    @Override
    public long dropped() {
        return 0;
    }

    @Override
    public boolean isClosed() {
        return false;
    }

    @Override
    public void close() {
        // Goes with its context.
    }
}
