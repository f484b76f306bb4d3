/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.perf;

import io.rdma4j.tools.perf.yardstick.Measure;
import io.rdma4j.tools.perf.yardstick.Reading;

import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;

/** What is measured beside a test, before and after it. */
public final class Surroundings {
    private static final Path ROOT = Path.of("/");
    /** Twenty times half a millisecond, also where a reading is a system call of microseconds. */
    private static final long TRY_NANOS = 500_000;
    private static final int TRIES = 20;

    private final List<Reading> before;

    private Surroundings(final List<Reading> before) {
        this.before = before;
    }

    /**
     * Measures the yardsticks for the first time.
     *
     * @param compare whether to measure them at all.
     * @return what is needed to do it again.
     * @throws io.rdma4j.RdmaException ETIMEDOUT if one of them does not come to an end; EIO if there is no loopback.
     */
    public static Surroundings before(final boolean compare) {
        return new Surroundings(compare ? Measure.all() : List.of());
    }

    /**
     * Measures the yardsticks again, if they were measured before.
     *
     * @return both readings of each.
     * @throws io.rdma4j.RdmaException as {@link #before}.
     */
    public List<Yardstick> after() {
        final List<Yardstick> yardsticks = new ArrayList<>();
        final List<Reading> after = before.isEmpty() ? List.of() : Measure.all();
        for (int i = 0; i < after.size(); i++) {
            yardsticks.add(new Yardstick(before.get(i), after.get(i)));
        }
        return yardsticks;
    }

    /**
     * Looks at the machine.
     *
     * @param version  of rdma4j.
     * @param spinning threads that will spin.
     * @return what it is, and what the clock costs.
     */
    public static PerfRun.Place place(final String version, final int spinning) {
        final Processors processors = Processors.of(ROOT);
        return new PerfRun.Place(Instant.now().truncatedTo(ChronoUnit.SECONDS).toString(), version,
            System.getProperty("java.vm.name") + " " + System.getProperty("java.vm.version"), processors.model(),
            Runtime.getRuntime().availableProcessors(), clockCost(), processors.advice(spinning));
    }

    /** What reading the clock costs in nanoseconds: the best of some averages, as nothing makes it faster. */
    private static double clockCost() {
        double best = Double.MAX_VALUE;
        for (int i = 0; i < TRIES; i++) {
            final long began = System.nanoTime();
            long last;
            int readings = 0;
            do {
                last = System.nanoTime();
                readings++;
            } while (last - began < TRY_NANOS);
            best = Math.min(best, (double) (last - began) / readings);
        }
        return best;
    }
}
