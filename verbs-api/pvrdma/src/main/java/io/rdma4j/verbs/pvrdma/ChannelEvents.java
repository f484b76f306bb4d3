/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import java.util.ArrayDeque;
import java.util.Queue;

/** The events of a channel's CQs that nobody took yet, each CQ once, the oldest first. */
final class ChannelEvents extends EventSource<PvrdmaCq> {
    private final Queue<CqEvent> events = new ArrayDeque<>();
    private boolean wokenUp;
    /** Kept until a wait finds it: the queue may be closed after its last poll, when the wait has not begun yet. */
    private boolean queueClosed;

    ChannelEvents(final PvrdmaChannel channel, final CompletionEvents all) {
        super(channel, all);
    }

    void add(final CqEvent event) {
        events.add(event);
        changed.signalAll();
    }

    void remove(final CqEvent event) {
        events.remove(event);
    }

    void wakeUp() {
        wokenUp = true;
    }

    /** A queue was closed whose event may be waited for here. */
    void queueClosed() {
        queueClosed = true;
        changed.signalAll();
    }

    @Override
    PvrdmaCq take() {
        final CqEvent event = events.poll();
        return event == null ? null : event.taken();
    }

    @Override
    boolean takeWakeUp() {
        final boolean taken = queueClosed;
        queueClosed = false;
        return takeRequest() || taken;
    }

    /** Takes what was asked for by {@link #wakeUp()}, also for who waits for a single queue of the channel. */
    boolean takeRequest() {
        final boolean taken = wokenUp;
        wokenUp = false;
        return taken;
    }

    @Override
    void clear() {
        events.clear();
    }

    int size() {
        return events.size();
    }
}
