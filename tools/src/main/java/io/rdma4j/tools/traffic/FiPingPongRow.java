/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.traffic;

/**
 * What one size took: a line of the table.
 *
 * @param bytes   of a message.
 * @param sent    messages that this end sent.
 * @param acked   answers that it got.
 * @param elapsed nanoseconds for all of them.
 * @param usec    times of single messages, each half a round trip; null for the end that answers, which sees none.
 */
public record FiPingPongRow(int bytes, int sent, int acked, long elapsed, LatencyRow.Times usec) {
    private static final double NANOS = 1e9;
    private static final double MICRO = 1e3;
    private static final int XFERS_PER_ITERATION = 2;

    /**
     * Bytes in both directions.
     *
     * @return 0 or more.
     */
    public long total() {
        return (long) bytes * sent * XFERS_PER_ITERATION;
    }

    /**
     * The time.
     *
     * @return seconds, above 0.
     */
    public double seconds() {
        return Math.max(1, elapsed) / NANOS;
    }

    /**
     * Throughput in both directions.
     *
     * @return megabytes of 10^6 bytes in a second.
     */
    public double megabytesPerSecond() {
        return total() / seconds() / 1e6;
    }

    /**
     * Time of one message one way.
     *
     * @return microseconds: half a round trip.
     */
    public double microsPerTransfer() {
        return Math.max(1, elapsed) / MICRO / sent / XFERS_PER_ITERATION;
    }

    /**
     * Messages in both directions.
     *
     * @return millions in a second.
     */
    public double millionTransfersPerSecond() {
        return 1 / microsPerTransfer();
    }
}
