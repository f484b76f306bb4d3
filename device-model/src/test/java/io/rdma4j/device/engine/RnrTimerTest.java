/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.engine;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The codes of the specification, 9.7.5.2.8. */
class RnrTimerTest {
    @ParameterizedTest
    @CsvSource({"0, 655360", "1, 10", "2, 20", "5, 60", "8, 160", "12, 640", "14, 1280", "20, 10240", "25, 61440",
        "31, 491520"})
    void aCodeIsATime(final int code, final long micros) {
        assertThat(RnrTimer.nanos(code)).isEqualTo(micros * 1000);
        assertThat(RnrTimer.nanos(code | 32)).as("a field of five bits").isEqualTo(micros * 1000);
    }

    @Test
    void eachCodeButTheFirstIsLongerThanTheOneBefore() {
        for (int code = 2; code < 32; code++) {
            assertThat(RnrTimer.nanos(code)).as("code %d", code).isGreaterThan(RnrTimer.nanos(code - 1));
        }
        assertThat(RnrTimer.nanos(0)).isGreaterThan(RnrTimer.nanos(31));
    }
}
