/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs;

import java.time.Duration;
import java.util.function.BooleanSupplier;

/** The clock by which connections are made, for tests of other packages. */
public final class ConnectClock {
    private static final long AGES = Duration.ofHours(1).toNanos();

    private ConnectClock() {
    }

    /** All the time there is passes in the moment in which something has happened, and not before. */
    public static ConnectOptions endsAfter(final ConnectOptions options, final BooleanSupplier happened) {
        return options.clock(() -> System.nanoTime() + (happened.getAsBoolean() ? AGES : 0));
    }
}
