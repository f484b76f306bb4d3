/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.base;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.testing.Patience;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class UninterruptedTest {
    @AfterEach
    void theNextOneIsNotInterrupted() {
        Thread.interrupted();
    }

    @Test
    void waitsForTheEndOfAThreadHoweverOftenItIsInterrupted() {
        final Thread waiter = Thread.currentThread();
        final Thread thread = DaemonThreads.of("test", () -> {
            for (int i = 0; i < 3; i++) {
                Patience.awaitUndeterred(waiter);
                waiter.interrupt();
            }
            Patience.awaitUndeterred(waiter);
        });
        waiter.interrupt();
        thread.start();
        assertThat(Uninterrupted.join(thread, Patience.nanos())).isTrue();
        assertThat(thread.isAlive()).isFalse();
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void theTimeIsOverAlsoForWhoIsInterrupted() {
        Thread.currentThread().interrupt();
        assertThat(Uninterrupted.join(Thread.currentThread(), 1)).isFalse();
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void whatIsLeftIsWaitedFor() {
        final List<Long> times = new ArrayList<>();
        assertThat(Uninterrupted.await(5, left -> {
            times.add(left);
            if (times.size() < 3) {
                throw new InterruptedException();
            }
            return true;
        })).isTrue();
        assertThat(times).hasSize(3).allSatisfy(left -> assertThat(left).isBetween(0L, 5L));
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void whoWasNotInterruptedIsNotAfterwards() {
        assertThat(Uninterrupted.await(0, left -> false)).isFalse();
        assertThat(Thread.interrupted()).isFalse();
    }
}
