/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma.device;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import org.junit.jupiter.api.Test;

class PauseTest {
    private static final long MILLIS_5 = TimeUnit.MILLISECONDS.toNanos(5);

    private static void assertPauses() {
        final long start = System.nanoTime();
        Pause.nanos(MILLIS_5);
        assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(MILLIS_5);
    }

    @Test
    void lastsItsTime() {
        assertPauses();
        assertThat(Thread.interrupted()).isFalse();
        Pause.nanos(0);
        Pause.nanos(-1);
    }

    @Test
    void lastsItsTimeAlsoWhereSomebodySentASignalBefore() {
        LockSupport.unpark(Thread.currentThread());
        assertPauses();
    }

    @Test
    void lastsItsTimeInAnInterruptedThreadWhichStaysInterrupted() {
        Thread.currentThread().interrupt();
        try {
            assertPauses();
            assertThat(Thread.currentThread().isInterrupted()).isTrue();
        } finally {
            Thread.interrupted();
        }
    }
}
