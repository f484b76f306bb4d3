/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.perf.yardstick;

import io.rdma4j.RdmaException;
import io.rdma4j.tools.thread.KeptThread;
import org.HdrHistogram.Histogram;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Measures the yardsticks, one after the other, each for a short time. */
public final class Measure {
    private static final long WARMUP = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long MEASURED = TimeUnit.MILLISECONDS.toNanos(150);
    private static final long LONGEST = TimeUnit.SECONDS.toNanos(1);
    private static final long FEWEST = 10_000;
    private static final long HIGHEST = TimeUnit.SECONDS.toNanos(60);
    private static final int DIGITS = 3;
    private static final double P50 = 50;
    private static final double P99 = 99;
    private static final double P999 = 99.9;

    private final RoundTrip roundTrip;
    private final Histogram histogram = new Histogram(1, HIGHEST, DIGITS);
    private long next;

    private Measure(final RoundTrip roundTrip) {
        this.roundTrip = roundTrip;
    }

    /**
     * Measures all: a bounced cache line, two Agrona rings, TCP over loopback.
     *
     * @return a reading of each, in this order.
     * @throws RdmaException ETIMEDOUT if one of them does not come to an end; EIO if there is no loopback.
     */
    public static List<Reading> all() {
        final List<Reading> readings = new ArrayList<>();
        for (final Supplier<RoundTrip> kind : List.<Supplier<RoundTrip>>of(CacheLine::new, RingPair::new, Tcp::new)) {
            try (RoundTrip roundTrip = kind.get()) {
                readings.add(new Measure(roundTrip).run());
            }
        }
        return readings;
    }

    private void answer(final BooleanSupplier goesOn) {
        long n = 1;
        int idle = 0;
        while (goesOn.getAsBoolean()) {
            if (roundTrip.pong(n)) {
                n++;
                idle = 0;
            } else {
                Limit.pause(idle++);
            }
        }
    }

    private Reading run() {
        // If the other thread fails meanwhile, this one times out and says so.
        try (KeptThread answering = new KeptThread("rdma4j-yardstick", this::answer)) {
            pingFor(WARMUP);
            histogram.reset();
            pingFor(MEASURED);
            answering.rethrowFailure();
        }
        return new Reading(roundTrip.name(), roundTrip.title(), histogram.getTotalCount() * roundTrip.batch(),
            at(P50), at(P99), at(P999));
    }

    private void pingFor(final long nanos) {
        final long began = System.nanoTime();
        final long first = next;
        long before = began;
        // Not a handful, also where others take the processors, unless that takes too long.
        while (before - began < nanos || next - first < FEWEST && before - began < LONGEST) {
            for (int i = 0; i < roundTrip.batch(); i++) {
                roundTrip.ping(++next);
            }
            final long now = System.nanoTime();
            histogram.recordValue(Math.min(HIGHEST, now - before));
            before = now;
        }
    }

    private double at(final double percentile) {
        return (double) histogram.getValueAtPercentile(percentile) / roundTrip.batch();
    }
}
