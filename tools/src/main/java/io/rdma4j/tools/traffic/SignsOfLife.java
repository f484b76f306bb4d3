/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.traffic;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** Signs of life: for whoever watches, and for the other end, which may see nothing of what goes on. */
final class SignsOfLife {
    private static final int SIGNS_IN_TIMEOUT = 4;
    /** The other process waits as long as it was told to, which this one does not know. */
    private static final long LONGEST_SILENCE = TimeUnit.SECONDS.toNanos(1);

    /** Null if the other end is a program that hears none. */
    private final ControlChannel control;
    private final long every;
    private final AtomicLong progress = new AtomicLong();
    private long given;

    SignsOfLife(final ControlChannel control, final long every) {
        this.control = control;
        this.every = every;
    }

    /**
     * How often another process is to hear that this end is there.
     *
     * @param timeout longest wait of this end.
     * @return nanoseconds.
     */
    static long every(final Duration timeout) {
        return Math.min(LONGEST_SILENCE, timeout.toNanos() / SIGNS_IN_TIMEOUT);
    }

    void begin(final long now) {
        given = now;
        progress.lazySet(0);
    }

    /** So many are done. */
    void give(final long count, final long now) {
        progress.lazySet(count);
        if (now - given > every) {
            given = now;
            if (control != null) {
                control.sayAlive();
            }
        }
    }

    /** For any thread. */
    long progress() {
        return progress.get();
    }
}
