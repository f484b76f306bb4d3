/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.testing;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * How long a test waits for what will come: half of what a whole test may take, which is far more on a machine that is
 * busy on purpose ({@code ./test.sh --soak}).
 */
public final class Patience {
    private static final long PAUSE_NANOS = 20_000;
    private static final long SECONDS = Long.getLong("rdma4j.longest.test", 90) / 2;

    private Patience() {
    }

    /**
     * {@return how long to wait}
     */
    public static long nanos() {
        return TimeUnit.SECONDS.toNanos(SECONDS);
    }

    /**
     * {@return how long to wait}
     */
    public static long millis() {
        return TimeUnit.SECONDS.toMillis(SECONDS);
    }

    /** Between two looks at what another thread is to do: it may need this processor for it. */
    public static void pause() {
        LockSupport.parkNanos(PAUSE_NANOS);
    }
}
