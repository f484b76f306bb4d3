/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.pingpong;

import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

class PingPongResultTest {
    /** Ten round trips of 1 to 10 us: 55 us in all. */
    @Test
    void aTransferIsHalfARoundTrip() {
        final Histogram roundTrips = new Histogram(3);
        for (int i = 1; i <= 10; i++) {
            roundTrips.recordValue(1000 * i);
        }
        final PingPongResult result = new PingPongResult(Operation.SEND, 10, 0, 55_000, roundTrips, 1, 2);
        assertThat(result.transfers()).isEqualTo(20);
        assertThat(result.microsPerTransfer()).isEqualTo(2.75);
        assertThat(result.microsAtPercentile(50)).isCloseTo(2.5, within(0.01));
        assertThat(result.microsAtPercentile(100)).isCloseTo(5.0, within(0.01));
        assertThat(result.megabytesPerSecond(1100)).isCloseTo(400.0, within(1e-9));
        assertThat(result.millionTransfersPerSecond()).isCloseTo(20 / 55.0, within(1e-9));
    }

    @Test
    void aTransferIsAllOfItWhereOneEndDoesEverything() {
        final Histogram roundTrips = new Histogram(3);
        roundTrips.recordValueWithCount(5000, 10);
        final PingPongResult result = new PingPongResult(Operation.READ, 10, 0, 50_000, roundTrips, 1, 2);
        assertThat(result.transfers()).isEqualTo(10);
        assertThat(result.microsPerTransfer()).isEqualTo(5.0);
        assertThat(result.microsAtPercentile(50)).isCloseTo(5.0, within(0.01));
        assertThat(result.megabytesPerSecond(1000)).isCloseTo(200.0, within(1e-9));
    }
}
