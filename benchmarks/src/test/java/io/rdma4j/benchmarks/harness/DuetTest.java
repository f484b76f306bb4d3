/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.benchmarks.harness;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class DuetTest {
    private final Patience patience = new Patience();
    private final AtomicInteger ended = new AtomicInteger();

    /** Waits for something that never comes. */
    private void waitInVain() {
        try {
            while (true) {
                patience.check();
                Thread.onSpinWait();
            }
        } finally {
            ended.incrementAndGet();
        }
    }

    private static void fail() {
        throw new IllegalArgumentException("the reason");
    }

    @Test
    void bothWork() throws Exception {
        assertThat(Duet.play(patience, ended::incrementAndGet, ended::incrementAndGet)).isNotNegative();
        assertThat(ended).hasValue(2);
    }

    /** Whether they have met by then or not. */
    @Test
    void theOneThatFailsIsTheReason() {
        assertThatThrownBy(() -> Duet.play(patience, this::waitInVain, DuetTest::fail))
            .isInstanceOf(IOException.class).hasRootCauseMessage("the reason");
    }

    @Test
    void theOneThatFailsEndsTheOther() {
        assertThatThrownBy(() -> Duet.play(patience, before(DuetTest::fail), before(this::waitInVain),
            Duration.ofMinutes(1))).isInstanceOf(IOException.class).hasRootCauseMessage("the reason");
        assertThat(ended).hasValue(1);
    }

    private static Duet.Part before(final Runnable work) {
        return new Duet.Part(work, DuetTest::fail);
    }

    @Test
    void bothEndAtTheDeadline() {
        assertThatThrownBy(() -> Duet.play(patience, before(this::waitInVain), before(this::waitInVain),
            Duration.ofSeconds(1))).isInstanceOf(IOException.class).hasMessageContaining("longer than 1 s");
        assertThat(ended).hasValue(2);
    }
}
