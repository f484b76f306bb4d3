/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.pingpong;

import org.HdrHistogram.Histogram;

/**
 * What a ping-pong measured.
 *
 * @param iterations       round trips that were measured.
 * @param warmupIterations round trips before.
 * @param elapsedNanos     time from the first message to the last, of those that were measured.
 * @param roundTrips       the round trips, in nanoseconds.
 * @param qpNumber         number of the QP that began.
 * @param peerQpNumber     number of the QP that answered.
 */
public record PingPongResult(long iterations, long warmupIterations, long elapsedNanos, Histogram roundTrips,
    int qpNumber, int peerQpNumber) {
    private static final double NANOS_PER_MICRO = 1_000.0;

    /**
     * Messages that were measured, in both directions.
     *
     * @return two for each round trip.
     */
    public long messages() {
        return 2 * iterations;
    }

    /**
     * Mean time of a message one way.
     *
     * @return half the mean round trip, in microseconds.
     */
    public double microsPerTransfer() {
        return elapsedNanos / NANOS_PER_MICRO / messages();
    }

    /**
     * A percentile of the time of a message one way.
     *
     * @param percentile 0 to 100; 100 is the longest.
     * @return half of that percentile of the round trips, in microseconds.
     */
    public double microsAtPercentile(final double percentile) {
        return roundTrips.getValueAtPercentile(percentile) / 2.0 / NANOS_PER_MICRO;
    }

    /**
     * Rate of data, both directions together.
     *
     * @param size bytes of a message.
     * @return millions of bytes in a second.
     */
    public double megabytesPerSecond(final int size) {
        return size * (double) messages() / elapsedNanos * NANOS_PER_MICRO;
    }

    /**
     * Rate of messages, both directions together.
     *
     * @return millions of messages in a second.
     */
    public double millionTransfersPerSecond() {
        return messages() / (double) elapsedNanos * NANOS_PER_MICRO;
    }
}
