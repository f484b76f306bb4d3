/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.common;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class CountersTest {
    private final Counters counters = new Counters();

    @Test
    void whatComesAgainAtOnceIsToldOnce() {
        counters.record(Counter.BAD_DOORBELLS, "page %d", 2);
        assertThat(counters.recent()).containsExactly("BAD_DOORBELLS: page 2");
        counters.record(Counter.BAD_DOORBELLS, "page %d", 2);
        counters.record(Counter.BAD_DOORBELLS, "page %d", 2);
        assertThat(counters.recent()).containsExactly("BAD_DOORBELLS: page 2, 3 times");
        counters.record(Counter.BAD_DOORBELLS, "page %d", 3);
        counters.record(Counter.BAD_DOORBELLS, "page %d", 2);
        assertThat(counters.recent())
            .containsExactly("BAD_DOORBELLS: page 2, 3 times", "BAD_DOORBELLS: page 3", "BAD_DOORBELLS: page 2");
        assertThat(counters.get(Counter.BAD_DOORBELLS)).isEqualTo(5);
    }

    @Test
    void theOldestAreForgotten() {
        for (int page = 0; page < 100; page++) {
            counters.record(Counter.BAD_DOORBELLS, "page %d", page);
        }
        assertThat(counters.recent()).hasSize(64).first().isEqualTo("BAD_DOORBELLS: page 36");
        assertThat(counters.recent()).last().isEqualTo("BAD_DOORBELLS: page 99");
    }
}
