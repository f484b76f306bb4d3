/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.base;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class DeadlineTest {
    private long now = 1_000_000;

    @Test
    void turnsTimeoutsIntoNanoseconds() {
        assertThat(Deadline.nanos(Duration.ofMillis(3))).isEqualTo(3_000_000);
        assertThat(Deadline.nanos(Duration.ofSeconds(-3))).isZero();
        assertThat(Deadline.nanos(Duration.ofSeconds(Long.MAX_VALUE))).isEqualTo(Long.MAX_VALUE / 2);
        assertThat(System.nanoTime() + Deadline.nanos(Duration.ofSeconds(Long.MAX_VALUE))).isPositive();
    }

    @Test
    void aTimeThatIsOverIsOver() {
        assertThat(Deadline.isOver(Deadline.after(Duration.ofSeconds(-1)))).isTrue();
        assertThat(Deadline.isOver(Deadline.after(Duration.ofSeconds(Long.MAX_VALUE)))).isFalse();
    }

    @Test
    void passesByItsOwnClock() {
        final Deadline deadline = Deadline.after(Duration.ofMillis(2), () -> now);
        assertThat(deadline.millis()).isEqualTo(2);
        now += 1_999_999;
        assertThat(deadline.isPassed()).isFalse();
        assertThat(deadline.millis()).as("0 would be for ever").isEqualTo(1);
        now++;
        assertThat(deadline.isPassed()).isTrue();
        assertThat(deadline.millis()).isEqualTo(1);
    }

    @Test
    void theEarlierOfTwo() {
        final Deadline soon = Deadline.after(Duration.ofMillis(1), () -> now);
        final Deadline late = Deadline.after(Duration.ofMillis(9), () -> now);
        assertThat(soon.earlier(late)).isSameAs(soon);
        assertThat(late.earlier(soon)).isSameAs(soon);
    }
}
