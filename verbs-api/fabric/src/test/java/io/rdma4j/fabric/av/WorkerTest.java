/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.av;

import static io.rdma4j.fabric.Refusal.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.fabric.FiErrno;
import io.rdma4j.testing.Patience;

import org.junit.jupiter.api.Test;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** The thread of an address vector, when the vector is closed. */
class WorkerTest {
    private static void awaitWhateverHappens(final CountDownLatch latch) {
        boolean over = false;
        while (!over) {
            try {
                over = latch.await(Patience.millis(), TimeUnit.MILLISECONDS);
            } catch (final InterruptedException e) {
                // That is what the test is about: work that does not heed it.
                over = false;
            }
        }
    }

    @Test
    void closingTellsOfWorkThatDoesNotEnd() throws InterruptedException {
        final CountDownLatch began = new CountDownLatch(1);
        final CountDownLatch end = new CountDownLatch(1);
        final Worker worker = new Worker("stubborn", 1, TimeUnit.MILLISECONDS.toNanos(20), Thread::new);
        assertThat(worker.run(() -> {
            began.countDown();
            awaitWhateverHappens(end);
        })).isTrue();
        Patience.await(began, "the work's beginning");
        assertThat(worker.run(() -> { })).isTrue();
        assertRefused(FiErrno.FI_ETIMEDOUT, worker::close, "stubborn", "1 pieces", "WorkerTest");
        assertThat(worker.run(() -> { })).isFalse();
        end.countDown();
    }

    @Test
    void closingWaitsForAllThatWasTaken() {
        final CountDownLatch done = new CountDownLatch(2);
        final Worker worker = new Worker("willing", 1);
        worker.run(done::countDown);
        worker.run(done::countDown);
        worker.close();
        assertThat(done.getCount()).isZero();
        worker.close();
    }

    @Test
    void closingInterruptsEachThread() throws InterruptedException {
        final int most = 3;
        final CountDownLatch began = new CountDownLatch(most);
        final CountDownLatch interrupted = new CountDownLatch(most);
        final Worker worker = new Worker("several", most);
        for (int i = 0; i < most; i++) {
            worker.run(() -> {
                began.countDown();
                try {
                    Thread.sleep(Patience.millis());
                } catch (final InterruptedException e) {
                    interrupted.countDown();
                }
            });
        }
        Patience.await(began, "all at once");
        worker.close();
        assertThat(interrupted.getCount()).isZero();
    }
}
