/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.driver.memory;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class MappingSettlingTest {
    private static final long SOON = MappingSettling.SETTLE_NANOS;
    private static final long LATER = MappingSettling.SETTLE_NANOS + 1;

    private final MappingSettling settling = new MappingSettling();

    @Test
    void settlesWhereItWasEmptiedAndForAWhile() {
        settling.emptied(100, 200, 0);
        assertThat(settling.settling(0, 100, 0)).isFalse();
        assertThat(settling.settling(0, 101, 0)).isTrue();
        assertThat(settling.settling(199, 300, SOON)).isTrue();
        assertThat(settling.settling(200, 300, SOON)).isFalse();
        assertThat(settling.settling(150, 160, LATER)).isFalse();
    }

    @Test
    void manyAreKeptAsOneThatCoversThem() {
        for (int i = 0; i < 10_000; i++) {
            settling.emptied(10L * i, 10L * i + 1, i);
        }
        assertThat(settling.settling(0, 1, 9_999)).isTrue();
        assertThat(settling.settling(99_990, 99_991, 9_999 + SOON)).isTrue();
        assertThat(settling.settling(100_000, 200_000, 9_999)).isFalse();
        assertThat(settling.settling(0, 200_000, 9_999 + LATER)).isFalse();
    }

    /** System.nanoTime may be negative and may wrap around. */
    @Test
    void timesMayWrap() {
        settling.emptied(0, 10, Long.MAX_VALUE - 1);
        assertThat(settling.settling(0, 10, Long.MAX_VALUE + SOON - 1)).isTrue();
        assertThat(settling.settling(0, 10, Long.MAX_VALUE + LATER)).isFalse();
    }
}
