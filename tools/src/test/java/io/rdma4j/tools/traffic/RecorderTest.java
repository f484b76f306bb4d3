/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.traffic;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

class RecorderTest {
    @Test
    void reportsHalvesOfRoundTripsWhereThatIsATime() {
        final Recorder recorder = new Recorder(4, 2);
        for (final long nanos : new long[] {3_000, 1_000, 2_000, 2_000}) {
            recorder.record(nanos);
        }
        final LatencyRow row = recorder.row(64);
        assertThat(row.iterations()).isEqualTo(4);
        assertThat(row.seconds()).isEqualTo(8e-6);
        assertThat(row.usec().min()).isEqualTo(0.5);
        assertThat(row.usec().max()).isEqualTo(1.5);
        assertThat(row.usec().avg()).isEqualTo(1.0);
        assertThat(row.usec().p50()).isCloseTo(1.0, within(0.01));
        assertThat(row.usec().p9999()).isEqualTo(1.5);
        assertThat(recorder.samples()).containsExactly(1.5, 0.5, 1.0, 1.0);
        assertThat(row.distribution().get(row.distribution().size() - 1))
            .isEqualTo(new LatencyRow.Point(100, 1.5, 4));
    }

    @Test
    void keepsAsManySamplesAsThereIsRoomForAndCountsAll() {
        final Recorder recorder = new Recorder(1, 1);
        recorder.record(1);
        recorder.record(2);
        assertThat(recorder.samples()).hasSize(1);
        assertThat(recorder.row(0).iterations()).isEqualTo(2);
        recorder.reset();
        recorder.record(7_000);
        assertThat(recorder.samples()).containsExactly(7.0);
        assertThat(recorder.row(0).usec().min()).isEqualTo(7.0);
        assertThat(recorder.row(0).usec().max()).isEqualTo(7.0);
    }

    @Test
    void whatIsLongerThanTwoHoursIsKeptToo() {
        final Recorder recorder = new Recorder(0, 1);
        recorder.record(Long.MAX_VALUE / 2);
        assertThat(recorder.row(0).iterations()).isEqualTo(1);
    }
}
