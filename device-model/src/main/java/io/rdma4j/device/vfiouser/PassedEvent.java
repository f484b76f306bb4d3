/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.vfiouser;

import io.rdma4j.RdmaException;
import io.rdma4j.driver.libc.EventFd;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * An eventfd that the client passed. It is non-blocking when it is taken, but the client has the same open file, and
 * can undo that and fill it: so one thread signals it, which may be held up for ever, and whoever closes it does not
 * wait for that one.
 */
final class PassedEvent {
    private static final int IDLE = 0;
    private static final int BUSY = 1;
    private static final int CLOSED = 2;

    private final EventFd event;
    private final AtomicInteger state = new AtomicInteger();

    /** Takes it over. */
    PassedEvent(EventFd event) {
        this.event = event;
    }

    /**
     * Signals it; for one thread.
     *
     * @return false if it has been closed, though it may have been signalled just before.
     */
    boolean signal() {
        if (!state.compareAndSet(IDLE, BUSY)) {
            return false;
        }
        try {
            event.signal();
        } catch (final RdmaException e) {
            // The number was open and an eventfd: there is nothing that another attempt would do better.
        }
        final boolean stays = state.compareAndSet(BUSY, IDLE);
        if (!stays) {
            event.close();
        }
        return stays;
    }

    /** Closes it, at once or when it has been signalled. Once. */
    void close() {
        if (state.getAndSet(CLOSED) == IDLE) {
            event.close();
        }
    }
}
