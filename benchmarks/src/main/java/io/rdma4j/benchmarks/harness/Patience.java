/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.benchmarks.harness;

import java.time.Duration;

/** Asked in each turn of a waiting loop: whoever measures can end them all. */
public final class Patience {
    private volatile boolean exhausted;

    /** Without an end. */
    public Patience() {
        // Set by who loses it.
    }

    /**
     * One that is exhausted after a time, for who measures on one thread, which nobody else looks after.
     *
     * @param time how long to wait
     * @return a new one
     */
    public static Patience of(final Duration time) {
        final Patience patience = new Patience();
        final Thread timer = new Thread(() -> {
            try {
                Thread.sleep(time.toMillis());
                patience.exhaust();
            } catch (final InterruptedException e) {
                patience.exhaust();
            }
        }, "patience");
        timer.setDaemon(true);
        timer.start();
        return patience;
    }

    /** Ends all loops that ask. */
    public void exhaust() {
        exhausted = true;
    }

    /** Throws {@link IllegalStateException} if it is exhausted. */
    public void check() {
        if (exhausted) {
            throw new IllegalStateException("given up: what was waited for did not come in time, or another thread of "
                + "the measurement failed");
        }
    }
}
