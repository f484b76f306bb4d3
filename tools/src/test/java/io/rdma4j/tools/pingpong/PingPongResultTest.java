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
        final PingPongResult result = new PingPongResult(10, 0, 55_000, roundTrips, 1, 2);
        assertThat(result.messages()).isEqualTo(20);
        assertThat(result.microsPerTransfer()).isEqualTo(2.75);
        assertThat(result.microsAtPercentile(50)).isCloseTo(2.5, within(0.01));
        assertThat(result.microsAtPercentile(100)).isCloseTo(5.0, within(0.01));
        assertThat(result.megabytesPerSecond(1100)).isCloseTo(400.0, within(1e-9));
        assertThat(result.millionTransfersPerSecond()).isCloseTo(20 / 55.0, within(1e-9));
    }
}
