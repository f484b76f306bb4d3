/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.benchmarks.calls;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What the C program prints, and what becomes of it in the table. */
class CallTimesTest {
    private final Map<String, CallTimes> times = new HashMap<>();

    @Test
    void theFastestAndTheMedianOfATurnAreToldApart() {
        CallTimes.read(List.of("post 10 30", "poll16 5.25 6.75"), times);
        assertThat(times).containsOnlyKeys("post", "poll16");
        assertThat(times.get("post").cell()).isEqualTo("10.0 [30.0]");
        assertThat(times.get("poll16").cell()).isEqualTo("5.3 [6.8]");
    }

    @Test
    void ofSeveralTurnsTheFastestOfAllAndTheMedianOfTheMedians() {
        CallTimes.read(List.of("post 10 30"), times);
        CallTimes.read(List.of("post 12 20"), times);
        CallTimes.read(List.of("post 8 50"), times);
        assertThat(times.get("post").cell()).isEqualTo("8.0 [30.0]");
        assertThat(times.get("post").fastest()).isEqualTo(8);
    }

    @Test
    void aSampleIsItsOwnMedian() {
        final CallTimes samples = new CallTimes();
        for (int i = 1; i <= 5; i++) {
            samples.sample(i);
        }
        assertThat(samples.cell()).isEqualTo("1.0 [3.0]");
    }
}
