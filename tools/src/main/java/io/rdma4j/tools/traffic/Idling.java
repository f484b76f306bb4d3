/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.traffic;

import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.BusySpinIdleStrategy;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.NoOpIdleStrategy;

/** What a thread does between polls that found nothing. */
final class Idling {
    private static final int PROCESSORS = Runtime.getRuntime().availableProcessors();
    private static final long SPINS = 100;

    private Idling() {
    }

    static IdleStrategy of(final WaitMode mode) {
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
        return new BackoffIdleStrategy(PROCESSORS > 1 ? SPINS : 0, Long.MAX_VALUE, 1, 1);
    }

    /**
     * Without pause at first, so that nothing comes between a message and its time; after that others may run now and
     * then, which may be the other end.
     */
    static IdleStrategy measuring() {
        return new SeldomYielding();
    }

    private static final class SeldomYielding implements IdleStrategy {
        /** A few microseconds. */
        private static final int MASK = PROCESSORS == 1 ? 0 : 0xff;

        private int spins;

        @Override
        public void idle(final int work) {
            if (work > 0) {
                reset();
            } else {
                idle();
            }
        }

        @Override
        public void idle() {
            if ((++spins & MASK) == 0) {
                Thread.yield();
            } else {
                Thread.onSpinWait();
            }
        }

        @Override
        public void reset() {
            spins = 0;
        }
    }
}
