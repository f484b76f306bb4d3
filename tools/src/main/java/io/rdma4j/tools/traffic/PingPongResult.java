/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.traffic;

/**
 * What a ping-pong measured. A transfer is half a round trip, or a whole operation where one end does everything.
 *
 * @param operation        what was measured.
 * @param times            of transfers; iterations are round trips.
 * @param warmupIterations round trips before.
 * @param qpNumber         number of the QP that began.
 * @param peerQpNumber     number of the QP that answered.
 */
public record PingPongResult(
    Operation operation, LatencyRow times, long warmupIterations, int qpNumber, int peerQpNumber) {
    private static final double MICROS_PER_SECOND = 1e6;

    /**
     * Transfers that were measured, in both directions.
     *
     * @return two messages for each round trip; one operation where one end does everything.
     */
    public long transfers() {
        return operation.transfersPerRoundTrip() * times.iterations();
    }

    /**
     * Mean time of a transfer.
     *
     * @return microseconds.
     */
    public double microsPerTransfer() {
        return times.usec().avg();
    }

    /**
     * Rate of data, both directions together.
     *
     * @return millions of bytes in a second.
     */
    public double megabytesPerSecond() {
        return times.bytes() * millionTransfersPerSecond();
    }

    /**
     * Rate of transfers, both directions together.
     *
     * @return millions of messages in a second.
     */
    public double millionTransfersPerSecond() {
        return transfers() / times.seconds() / MICROS_PER_SECOND;
    }
}
