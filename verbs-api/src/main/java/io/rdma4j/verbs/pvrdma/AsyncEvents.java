/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import io.rdma4j.verbs.AsyncEvent;
import io.rdma4j.verbs.AsyncEventType;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.TimeUnit;

/**
 * Turns the device's asynchronous events into those of the interface, and keeps them until they are taken. One of the
 * waiting threads waits on the vector, the others for it.
 */
final class AsyncEvents {
    private static final long SLICE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private final PvrdmaContext context;
    private final Queue<AsyncEvent> events = new ArrayDeque<>();
    private boolean taken;
    /** A failed device has told its last event. */
    private volatile boolean ended;

    AsyncEvents(final PvrdmaContext context) {
        this.context = context;
    }

    /** Takes the next event; null if there is none in time. */
    AsyncEvent await(final long nanos) {
        final long deadline = System.nanoTime() + nanos;
        AsyncEvent event = take();
        while (event == null && !context.isClosed() && !ended) {
            final long left = deadline - System.nanoTime();
            if (left <= 0 || Thread.currentThread().isInterrupted()) {
                break;
            }
            look(Math.min(left, SLICE_NANOS));
            event = take();
        }
        // The last one may have come between looking and finding that there will be no more.
        return event == null ? take() : event;
    }

    private synchronized AsyncEvent take() {
        if (events.isEmpty() && !context.isClosed() && !context.isFailed()) {
            context.device.pollAsyncEvents(this::add);
        }
        return events.poll();
    }

    private void look(final long nanos) {
        if (!takeVector(nanos)) {
            return;
        }
        try {
            context.device.awaitAsyncEvents(nanos);
        } finally {
            giveVector();
        }
    }

    private synchronized boolean takeVector(final long nanos) {
        if (!taken) {
            taken = true;
            return true;
        }
        try {
            wait(Math.max(1, TimeUnit.NANOSECONDS.toMillis(nanos)));
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return false;
    }

    private synchronized void giveVector() {
        taken = false;
        notifyAll();
    }

    private synchronized void add(final int code, final int number) {
        final AsyncEventType type = AsyncEventType.of(code);
        if (type == AsyncEventType.DEVICE_FATAL) {
            // Comes back through the listener, like every other reason.
            context.device.fail("it reported a fatal error");
            return;
        }
        final Object element = element(type, number);
        if (element instanceof PvrdmaQp && isFatal(type)) {
            ((PvrdmaQp) element).failed(true);
        }
        events.add(new AsyncEvent(type, element, number));
    }

    private static boolean isFatal(final AsyncEventType type) {
        return type == AsyncEventType.QP_FATAL || type == AsyncEventType.QP_REQ_ERR
            || type == AsyncEventType.QP_ACCESS_ERR;
    }

    private Object element(final AsyncEventType type, final int number) {
        switch (type) {
            case CQ_ERR:
                return context.cqs.get(number);
            case QP_FATAL:
            case QP_REQ_ERR:
            case QP_ACCESS_ERR:
            case COMM_EST:
            case SQ_DRAINED:
            case PATH_MIG:
            case PATH_MIG_ERR:
            case QP_LAST_WQE_REACHED:
                return context.qps.get(number);
            case SRQ_ERR:
            case SRQ_LIMIT_REACHED:
                return context.srqs.get(number);
            default:
                return context;
        }
    }

    /** The driver gave the device up: the application learns of it as if the device had said so. */
    synchronized void deviceFailed() {
        events.add(new AsyncEvent(AsyncEventType.DEVICE_FATAL, context, 0));
        ended = true;
        notifyAll();
    }
}
