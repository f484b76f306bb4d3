/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.benchmarks.harness;

import static org.assertj.core.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Whether something takes at most so many times what its yardstick takes. The machine may be doing something else just
 * now: only what is above the bound each time that it is measured has become slower.
 */
public final class Verdict {
    private static final int ROUNDS = 6;

    private Verdict() {
    }

    /**
     * Nanoseconds of both sides, of the same time, and how often one is in the other.
     *
     * @param nanos     what is judged
     * @param yardstick what it is judged by
     * @param ratio     of both
     */
    public record Measured(double nanos, double yardstick, double ratio) {
        /**
         * Divides.
         *
         * @param nanos     what is judged
         * @param yardstick what it is judged by
         * @return both with their ratio
         */
        public static Measured of(final double nanos, final double yardstick) {
            return new Measured(nanos, yardstick, nanos / yardstick);
        }

        @Override
        public String toString() {
            return String.format(Locale.ROOT, "%.2f (%.1f ns, yardstick %.1f ns)", ratio, nanos, yardstick);
        }
    }

    /** How it is measured. */
    public interface Measurement {
        /**
         * Measures.
         *
         * @param round counted from 1
         * @return null if the machine let nothing be measured
         * @throws Exception if something is wrong
         */
        Measured measure(int round) throws Exception;
    }

    /**
     * Measures until it is within the bound, and fails if it never is.
     *
     * @param what        is judged
     * @param yardstick   by what
     * @param bound       of the ratio
     * @param measurement of both
     * @throws Exception if it cannot be measured
     */
    public static void within(
        final String what, final String yardstick, final double bound, final Measurement measurement)
        throws Exception {
        final List<String> rounds = new ArrayList<>();
        boolean any = false;
        while (rounds.size() < ROUNDS) {
            final Measured measured = measurement.measure(rounds.size() + 1);
            rounds.add(measured == null ? "not to be measured" : measured.toString());
            if (measured != null && measured.ratio() <= bound) {
                System.out.println(what + ": " + String.join("; ", rounds));
                return;
            }
            any |= measured != null;
        }
        assumeTrue(any, what + " could not be measured: the machine does too much else");
        fail("%s takes more than %.1f times what %s takes; ratios of %d rounds: %s. If that is a regression, "
            + "benchmarks/run.sh shows where; if it is meant, the bound is in this test.",
            what, bound, yardstick, rounds.size(), String.join("; ", rounds));
    }
}
