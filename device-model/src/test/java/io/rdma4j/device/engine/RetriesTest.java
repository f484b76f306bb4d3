/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.engine;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class RetriesTest {
    private final QpAttributes attributes = new QpAttributes();

    @Test
    void aTimeoutIsWaitedForOnceThenTwiceThenFourTimesAsLong() {
        attributes.timeout = 14;
        final long once = Retries.timeoutNanos(attributes);
        assertThat(once).isEqualTo(4096L << 14);
        // A number below 0: fewer retries were allowed since the first one.
        for (final int[] triesAndFactor : new int[][] {{-3, 1}, {0, 1}, {1, 2}, {2, 4}, {3, 4}, {7, 4}}) {
            assertThat(Retries.timeoutNanos(attributes, triesAndFactor[0])).isEqualTo(triesAndFactor[1] * once);
        }
    }

    @Test
    void withoutATimeoutEachTryIsAsLong() {
        attributes.timeout = 0;
        assertThat(Retries.timeoutNanos(attributes, 5)).isEqualTo(Retries.timeoutNanos(attributes));
    }
}
