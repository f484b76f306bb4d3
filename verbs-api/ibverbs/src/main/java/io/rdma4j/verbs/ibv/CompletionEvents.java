/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.ibv;

import io.rdma4j.base.Undo;
import io.rdma4j.verbs.spi.Errors;
import org.agrona.UnsafeApi;
import org.agrona.concurrent.UnsafeBuffer;

import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * The events of a completion channel of the library. Of the threads that wait one waits for the channel's file, and
 * hands out what it finds; the others wait for it. Events are acknowledged to the library at once.
 */
final class CompletionEvents {
    static final String OPERATION = "await completion event";
    private static final long SLICE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    final long pointer;
    private final IbvContext context;
    private final FdWait wait;
    private final UnsafeBuffer event = Struct.allocate(2 * Long.BYTES);
    /** By their addresses in the library. */
    private final Map<Long, IbvCq> cqs = new HashMap<>();
    private final Set<IbvCq> ready = new LinkedHashSet<>();
    private boolean led;
    private boolean wakeUp;
    /** Kept until a wait finds it: the queue may be closed after its last poll, when the wait has not begun yet. */
    private boolean queueClosed;
    private boolean ended;

    private CompletionEvents(final IbvContext context, final long pointer) {
        this.context = context;
        this.pointer = pointer;
        this.wait = new FdWait(UnsafeApi.getInt(pointer + Abi.CompChannel.FD));
    }

    static CompletionEvents create(final IbvContext context, final String operation) {
        final long pointer = context.requireObject(
            context.library.createCompChannel(context.pointer), operation, "ibv_create_comp_channel");
        try (Undo undo = new Undo()) {
            undo.add(() -> context.library.destroyCompChannel(pointer));
            final CompletionEvents events = new CompletionEvents(context, pointer);
            undo.forget();
            return events;
        }
    }

    synchronized void add(final long cq, final IbvCq object) {
        cqs.put(cq, object);
    }

    /** Forgets a queue that is closed; if it was asked for an event, one wait for any queue ends without it. */
    synchronized void remove(final long cq, final boolean asked) {
        ready.remove(cqs.remove(cq));
        if (asked) {
            queueClosed = true;
            endWaits();
        }
    }

    /** Takes the next event, of one CQ or of any; null if the time passed, or somebody ended the wait. */
    IbvCq await(final IbvObject owner, final IbvCq only, final long nanos) {
        final long deadline = System.nanoTime() + nanos;
        boolean looked = false;
        while (true) {
            final long left = Math.max(0, deadline - System.nanoTime());
            synchronized (this) {
                final IbvCq cq = take(only);
                if (cq != null) {
                    return cq;
                }
                requireAlive(owner);
                if (looked && left == 0 || takeEnd(only) || Thread.currentThread().isInterrupted()) {
                    return null;
                }
                looked = true;
                if (led) {
                    sleep(Math.min(left, SLICE_NANOS));
                    continue;
                }
                led = true;
            }
            lead(Math.min(left, SLICE_NANOS));
        }
    }

    private void requireAlive(final IbvObject owner) {
        owner.requireOpen(OPERATION);
        context.requireOpen(OPERATION);
        context.requireWorking(OPERATION);
        if (ended) {
            throw Errors.closed(OPERATION, context, owner);
        }
    }

    private IbvCq take(final IbvCq only) {
        final IbvCq next = only != null ? only : ready.isEmpty() ? null : ready.iterator().next();
        return next != null && ready.remove(next) ? next : null;
    }

    private boolean takeEnd(final IbvCq only) {
        final boolean ends = wakeUp || only == null && queueClosed;
        wakeUp = false;
        queueClosed &= only != null;
        return ends;
    }

    private void sleep(final long nanos) {
        try {
            TimeUnit.NANOSECONDS.timedWait(this, Math.max(nanos, 100_000));
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void lead(final long nanos) {
        try {
            if (wait.await(nanos)) {
                fetch();
            }
        } finally {
            synchronized (this) {
                led = false;
                notifyAll();
            }
        }
    }

    private void fetch() {
        final long at = event.addressOffset();
        while (wait.isReadable() && context.library.getCqEvent(pointer, at, at + Long.BYTES) == 0) {
            final long cq = event.getLong(0);
            try {
                received(cq);
            } finally {
                // Without that the library would wait for it when the CQ is destroyed.
                context.library.ackCqEvents(cq, 1);
            }
        }
    }

    private synchronized void received(final long cq) {
        final IbvCq object = cqs.get(cq);
        if (object != null) {
            ready.add(object);
        }
    }

    /** Whether a CQ has an event that nobody took; one that is still with the library does not count. */
    synchronized boolean hasEvent(final IbvCq cq) {
        return ready.contains(cq);
    }

    synchronized void wakeUp() {
        wakeUp = true;
        endWaits();
    }

    /** Whoever waits looks whether there is anything to wait for. */
    synchronized void endWaits() {
        if (!ended) {
            notifyAll();
            wait.wakeUp();
        }
    }

    /** Ends all waits, for good, and waits for who is fetching events. */
    void end(final IbvObject owner) {
        synchronized (this) {
            ended = true;
            notifyAll();
            wait.wakeUp();
        }
        LibraryWait.until("close " + owner, context, owner, () -> !isLed(),
            () -> "a thread does not come out of fetching its events");
    }

    private synchronized boolean isLed() {
        return led;
    }

    /** Gives the channel back; its queues are gone. */
    void close() {
        wait.close();
        context.destroyed(context.library.destroyCompChannel(pointer), "close completion channel",
            "ibv_destroy_comp_channel");
    }
}
