/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.perf;

/**
 * One after the other. A time lasts from a clock reading to the next one, so that all times together are the whole
 * time, and each contains one reading.
 */
final class Rally implements Task {
    private final Exchange exchange;
    private final Recorder recorder;
    private final Patience patience;
    private final Signs signs;

    Rally(final Exchange exchange, final Recorder recorder, final Patience patience, final Signs signs) {
        this.exchange = exchange;
        this.recorder = recorder;
        this.patience = patience;
        this.signs = signs;
    }

    @Override
    public void begin(final int bytes) {
        recorder.reset();
        exchange.begin(bytes);
    }

    @Override
    public long run(final Span span) {
        final long began = System.nanoTime();
        long before = began;
        long n = 0;
        signs.begin(began);
        while (n < span.iterations() && before - began < span.nanos()) {
            exchange.turn(n);
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
