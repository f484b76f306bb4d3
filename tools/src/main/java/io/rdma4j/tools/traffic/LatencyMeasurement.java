/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.traffic;

/**
 * One after the other. A time lasts from a clock reading to the next one, so that all times together are the whole
 * time, and each contains one reading.
 */
final class LatencyMeasurement implements Measurement {
    private final Volley volley;
    private final Recorder recorder;
    private final Patience patience;
    private final SignsOfLife signs;

    LatencyMeasurement(final Volley volley, final Recorder recorder, final Patience patience, final SignsOfLife signs) {
        this.volley = volley;
        this.recorder = recorder;
        this.patience = patience;
        this.signs = signs;
    }

    @Override
    public void begin(final int bytes) {
        recorder.reset();
        volley.begin(bytes);
    }

    @Override
    public long run(final Span span) {
        final long began = System.nanoTime();
        long before = began;
        long n = 0;
        signs.begin(began);
        while (n < span.iterations() && before - began < span.nanos()) {
            volley.turn(n, patience);
            final long now = System.nanoTime();
            recorder.record(now - before);
            before = now;
            n++;
            patience.progress();
            signs.give(n, now);
        }
        return n;
    }

    @Override
    public PerfRow row(final int bytes) {
        return recorder.row(bytes);
    }

    @Override
    public double[] samples() {
        return recorder.samples();
    }
}
