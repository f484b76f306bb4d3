/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.testing;

import io.rdma4j.base.Deadline;
import io.rdma4j.testing.Patience;

import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Waits for what is sure to come: the deadline only guards against hanging. */
public final class Await {
    /** Longer than anything takes, also on a machine that does much else. */
    public static final Duration LONG = Patience.duration();
    /** Most goes on in the thread of the test, which on a busy machine gets its processor back late. */
    private static final int YIELDS_AFTER = 16;
    /** Who waits for another thread that long wants it to have this processor. */
    private static final int PAUSES_AFTER = 256;

    private Await() {
    }

    public static void until(final String what, final BooleanSupplier condition) {
        until(() -> what, condition);
    }

    public static void until(final Supplier<String> state, final BooleanSupplier condition) {
        until(LONG, state, condition);
    }

    /** Until the condition holds, which may be what goes on. The state is asked for when it is too late. */
    public static void until(final Duration longest, final Supplier<String> state, final BooleanSupplier condition) {
        final long deadline = Deadline.after(longest);
        for (int turn = 1; !condition.getAsBoolean(); turn++) {
            if (Deadline.isOver(deadline)) {
                throw new AssertionError("waited " + longest + " until: " + state.get());
            }
            if (turn % PAUSES_AFTER == 0) {
                Patience.pause();
            } else if (turn % YIELDS_AFTER == 0) {
                Thread.yield();
            }
        }
    }
}
