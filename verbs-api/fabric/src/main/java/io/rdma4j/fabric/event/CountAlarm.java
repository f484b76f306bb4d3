/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.event;

import io.rdma4j.driver.wait.WaitFd;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * Tells who waits for a counter's descriptor that the count changed: once, then not before it is armed again.
 *
 * <p>Who counts adds, then looks whether it is armed; who arms it does that, then looks at the count: all volatile, so
 * that one of both sees the other. So it is with who brings something that counts without telling.
 */
final class CountAlarm {
    private static final long FIRST_PAUSE_NS = 50_000;
    private static final long LONGEST_PAUSE_NS = 1_000_000;

    private final WaitFd fd;
    private final LongSupplier count;
    private final LongSupplier errors;
    /** Whether something counts that does not tell. */
    private final BooleanSupplier looks;
    private final AtomicBoolean armed = new AtomicBoolean();
    private long seenCount;
    private long seenErrors;
    private boolean watches;
    private boolean closed;

    CountAlarm(
        final WaitFd fd, final LongSupplier count, final LongSupplier errors, final BooleanSupplier looks) {
        this.fd = fd;
        this.count = count;
        this.errors = errors;
        this.looks = looks;
    }

    synchronized int fd() {
        return closed ? -1 : fd.fd();
    }

    /** By who counts. */
    void changed() {
        if (armed.get()) {
            ring();
        }
    }

    private void ring() {
        if (armed.compareAndSet(true, false)) {
            raise();
        }
    }

    private synchronized void raise() {
        if (!closed) {
            fd.set();
        }
    }

    /** False if something was counted since the last time. */
    synchronized boolean arm() {
        if (closed) {
            return false;
        }
        fd.clear();
        armed.set(true);
        final long countNow = count.getAsLong();
        final long errorsNow = errors.getAsLong();
        final boolean same = countNow == seenCount && errorsNow == seenErrors;
        seenCount = countNow;
        seenErrors = errorsNow;
        if (same && !watches && looks.getAsBoolean()) {
            watches = true;
            lookAfter(FIRST_PAUSE_NS);
        }
        return same;
    }

    private boolean isAsSeen() {
        return count.getAsLong() == seenCount && errors.getAsLong() == seenErrors;
    }

    @SuppressWarnings("FutureReturnValueIgnored") // Nobody takes it back: a look that comes too late finds so.
    private void lookAfter(final long pause) {
        WaitClock.shared().after(pause, () -> look(pause));
    }

    private synchronized void look(final long pause) {
        if (closed || !armed.get()) {
            watches = false;
        } else if (!isAsSeen()) {
            watches = false;
            ring();
        } else {
            lookAfter(Math.min(2 * pause, LONGEST_PAUSE_NS));
        }
    }

    synchronized void close() {
        if (!closed) {
            closed = true;
            fd.close();
        }
    }
}
