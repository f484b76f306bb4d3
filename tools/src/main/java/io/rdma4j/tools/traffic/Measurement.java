/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.traffic;

/** What the end that measures does with one size. For one thread. */
interface Measurement {
    /** Messages of so many bytes will go. */
    void begin(int bytes);

    /**
     * Does it until one of the limits is reached.
     *
     * @return how many messages went.
     */
    long run(Span span);

    /** What was measured by the last {@link #run}. */
    PerfRow row(int bytes);

    /** The single times of the last {@link #run}, if they were kept. */
    double[] samples();

    /** The one of the end that begins. */
    static Measurement of(
        final PerfEnd end, final PerfOptions options, final Patience patience, final SignsOfLife signs) {
        return options.test().isLatency()
            ? new LatencyMeasurement(Volley.of(options.operation(), end), Recorder.of(options), patience, signs)
            : new BandwidthMeasurement(end, options, patience, signs);
    }
}
