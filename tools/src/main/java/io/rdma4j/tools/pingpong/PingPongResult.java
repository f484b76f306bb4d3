/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.pingpong;

import org.HdrHistogram.Histogram;

/**
 * What a ping-pong measured.
 *
 * @param operation        what was measured.
 * @param iterations       round trips that were measured.
 * @param warmupIterations round trips before.
 * @param elapsedNanos     time from the first message to the last, of those that were measured.
 * @param roundTrips       the round trips, in nanoseconds.
 * @param qpNumber         number of the QP that began.
 * @param peerQpNumber     number of the QP that answered.
 */
public record PingPongResult(Operation operation, long iterations, long warmupIterations, long elapsedNanos,
    Histogram roundTrips, int qpNumber, int peerQpNumber) {
    private static final double NANOS_PER_MICRO = 1_000.0;

    /**
     * Transfers that were measured, in both directions.
     *
     * @return two messages for each round trip; one operation where one end does everything.
     */
    public long transfers() {
        return transfersPerRoundTrip() * iterations;
    }

    private int transfersPerRoundTrip() {
        return operation.isMutual() ? 2 : 1;
    }

    /**
     * Mean time of a transfer: of a message one way, or of a whole operation where one end does everything.
     *
     * @return half the mean round trip or a whole one, in microseconds.
     */
    public double microsPerTransfer() {
        return elapsedNanos / NANOS_PER_MICRO / transfers();
    }

    /**
     * A percentile of the time of a transfer.
     *
     * @param percentile 0 to 100; 100 is the longest.
     * @return half of that percentile of the round trips or all of it, in microseconds.
     */
    public double microsAtPercentile(final double percentile) {
        return roundTrips.getValueAtPercentile(percentile) / NANOS_PER_MICRO / transfersPerRoundTrip();
    }

    /**
     * Rate of data, both directions together.
     *
     * @param size bytes of a message.
     * @return millions of bytes in a second.
     */
    public double megabytesPerSecond(final int size) {
        return size * (double) transfers() / elapsedNanos * NANOS_PER_MICRO;
    }

    /**
     * Rate of transfers, both directions together.
     *
     * @return millions of messages in a second.
     */
    public double millionTransfersPerSecond() {
        return transfers() / (double) elapsedNanos * NANOS_PER_MICRO;
    }
}
