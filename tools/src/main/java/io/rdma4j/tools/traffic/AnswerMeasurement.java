/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.traffic;

/**
 * The end that answers, where that one measures, too, as both ends of perftest do: the time from one message of its own
 * to the next is a round trip. Of the last message it hears no answer, so there is one time less than there are round
 * trips.
 */
final class AnswerMeasurement implements Measurement {
    private final PerfEnd end;
    private final Volley volley;
    private final Recorder recorder;
    private final Patience patience;
    private final SignsOfLife signs;

    AnswerMeasurement(
        final PerfEnd end, final PerfOptions options, final Patience patience, final SignsOfLife signs) {
        this.end = end;
        this.patience = patience;
        this.signs = signs;
        volley = Volley.of(options.operation(), end);
        recorder = Recorder.of(options);
    }

    @Override
    public void begin(final int bytes) {
        recorder.reset();
        volley.begin(bytes);
    }

    @Override
    public long run(final Span span) {
        long before = System.nanoTime();
        signs.begin(before);
        for (long n = 0; n < span.iterations(); n++) {
            volley.await(n, patience);
            volley.prepare(n);
            end.lane().postOne(end, patience);
            final long now = System.nanoTime();
            if (n > 0) {
                recorder.record(now - before);
            }
            before = now;
            volley.take();
            patience.progress();
            signs.give(n + 1, now);
        }
        return span.iterations();
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
