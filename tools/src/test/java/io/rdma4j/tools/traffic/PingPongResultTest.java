/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.traffic;

import org.junit.jupiter.api.Test;

import java.util.stream.LongStream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

class PingPongResultTest {
    private static PingPongResult result(final Operation operation, final int bytes, final long... nanos) {
        final Recorder recorder = new Recorder(0, operation.transfersPerRoundTrip());
        for (final long roundTrip : nanos) {
            recorder.record(roundTrip);
        }
        return new PingPongResult(operation, recorder.row(bytes), 0, 1, 2);
    }

    /** Ten round trips of 1 to 10 us: 55 us in all. */
    @Test
    void aTransferIsHalfARoundTrip() {
        final PingPongResult result =
            result(Operation.SEND, 1100, LongStream.rangeClosed(1, 10).map(micros -> 1000 * micros).toArray());
        assertThat(result.transfers()).isEqualTo(20);
        assertThat(result.microsPerTransfer()).isEqualTo(2.75);
        assertThat(result.times().usec().p50()).isCloseTo(2.5, within(0.01));
        assertThat(result.times().usec().max()).isEqualTo(5.0);
        assertThat(result.megabytesPerSecond()).isCloseTo(400.0, within(1e-9));
        assertThat(result.millionTransfersPerSecond()).isCloseTo(20 / 55.0, within(1e-9));
    }

    @Test
    void aTransferIsAllOfItWhereOneEndDoesEverything() {
        final PingPongResult result = result(Operation.READ, 1000, LongStream.generate(() -> 5000).limit(10).toArray());
        assertThat(result.transfers()).isEqualTo(10);
        assertThat(result.microsPerTransfer()).isEqualTo(5.0);
        assertThat(result.times().usec().p50()).isEqualTo(5.0);
        assertThat(result.megabytesPerSecond()).isCloseTo(200.0, within(1e-9));
    }
}
