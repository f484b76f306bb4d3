/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.dma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.RdmaException;
import io.rdma4j.testing.Patience;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(20)
class RangeLockTest {
    private final RangeLock lock = new RangeLock(TimeUnit.MILLISECONDS.toNanos(50));

    @Test
    void letsRangesThatOnlyTouchPass() {
        final RangeLock.Held middle = lock.hold(100, 200);
        lock.hold(0, 100).release();
        lock.hold(200, 300).release();
        middle.release();
        lock.hold(0, 300).release();
    }

    @Test
    void namesWhoIsInTheWayWhenTheDeadlinePasses() {
        lock.hold(0x1000, 0x3000);

        assertThatThrownBy(() -> lock.hold(0x2fff, 0x4000))
            .isInstanceOfSatisfying(RdmaException.class, e -> assertThat(e.errno()).isEqualTo(RdmaException.ETIMEDOUT))
            .hasMessageContaining("0x2fff..0x3fff waits for 0x1000..0x2fff");
    }

    @Test
    void waitsForTheReleaseAndKeepsAnInterrupt() throws InterruptedException {
        final RangeLock patient = new RangeLock(TimeUnit.SECONDS.toNanos(10));
        final RangeLock.Held first = patient.hold(0, 10);
        final CountDownLatch through = new CountDownLatch(1);
        final boolean[] interrupted = new boolean[1];
        final Thread waiter = new Thread(() -> {
            patient.hold(5, 6).release();
            interrupted[0] = Thread.currentThread().isInterrupted();
            through.countDown();
        });
        waiter.start();
        waiter.interrupt();
        assertThat(through.await(50, TimeUnit.MILLISECONDS)).isFalse();
        first.release();
        Patience.await(through, "the thread that waited for the range");
        assertThat(interrupted[0]).isTrue();
    }
}
