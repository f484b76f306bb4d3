/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.perf.yardstick;

import io.rdma4j.RdmaException;

import java.util.concurrent.TimeUnit;

/** A deadline that is looked at now and then while waiting. For one thread. */
final class Limit {
    private static final long LONGEST = TimeUnit.SECONDS.toNanos(10);
    private static final int SPINS = Runtime.getRuntime().availableProcessors() == 1 ? 0 : 0xff;

    private final String what;
    private int spins;
    private long since;

    Limit(final String what) {
        this.what = what;
    }

    /** How the thread pauses that nobody waits for. */
    static void pause(final int idle) {
        if ((idle & SPINS) == SPINS) {
            Thread.yield();
        } else {
            Thread.onSpinWait();
        }
    }

    void progress() {
        spins = 0;
        since = 0;
    }

    void idle() {
        if ((++spins & SPINS) != 0) {
            return;
        }
        final long now = System.nanoTime();
        if (since == 0) {
            since = now;
        } else if (now - since > LONGEST) {
            throw RdmaException.of("measure yardstick").object(what).detail("no echo for %d s", LONGEST / 1_000_000_000)
                .errno(RdmaException.ETIMEDOUT).hint("the machine is overloaded; leave --compare out").build();
        }
        Thread.yield();
    }
}
