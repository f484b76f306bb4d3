/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.benchmarks.scaling;

import io.rdma4j.benchmarks.harness.Duet;
import io.rdma4j.benchmarks.harness.Patience;
import java.io.IOException;
import java.time.Duration;

/** What one thread does of a measurement. */
@FunctionalInterface
interface ScalingWork {
    /** Beyond this a measurement is given up. */
    Duration DEADLINE = Duration.ofMinutes(1);

    /** Turns that do not count before those of the first length: there the compiler is still at work. */
    int FIRST_WARM_UP = 10;

    /** Does it so many times. */
    void run(long times);

    /**
     * Runs both at the same time, each on a thread of its own: first some that do not count, so that what they use is
     * in the caches of the processor that they are on.
     *
     * @return nanoseconds until the later one was through
     */
    static long both(final ScalingWork one, final ScalingWork other, final long before, final long times,
        final Patience patience) throws IOException, InterruptedException {
        return Duet.play(patience, new Duet.Part(() -> one.run(before), () -> one.run(times)),
            new Duet.Part(() -> other.run(before), () -> other.run(times)), DEADLINE);
    }
}
