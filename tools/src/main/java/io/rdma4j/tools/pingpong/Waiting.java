/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.pingpong;

import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.BusySpinIdleStrategy;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.NoOpIdleStrategy;

/** How to wait, in words of a waiting loop. */
final class Waiting {
    private static final long SPINS = 100;
    private static final int POLLS_BETWEEN_CHECKS = 256;

    private Waiting() {
    }

    static IdleStrategy strategy(final WaitMode mode) {
        switch (mode) {
            case SPIN:
                return BusySpinIdleStrategy.INSTANCE;
            case BLOCK:
                // The ends sleep themselves.
                return NoOpIdleStrategy.INSTANCE;
            default:
                return yielding();
        }
    }

    /**
     * Spins for a few times as long as an answer takes, then lets others run: on a busy machine the other end may be
     * among those that wait for a processor; on one with a single processor certainly.
     */
    private static IdleStrategy yielding() {
        final long spins = Runtime.getRuntime().availableProcessors() > 1 ? SPINS : 0;
        return new BackoffIdleStrategy(spins, Long.MAX_VALUE, 1, 1);
    }

    /** How often to poll in vain before looking at the clock. */
    static int pollsBetweenChecks(final WaitMode mode) {
        return mode == WaitMode.BLOCK ? 1 : POLLS_BETWEEN_CHECKS;
    }
}
