/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.text;

import io.rdma4j.testing.Patience;
import org.junit.jupiter.api.Test;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import static org.assertj.core.api.Assertions.assertThat;

class ProgressTest {
    private static final long LONG_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** A thread that gets no processor for a while looks like one that is long in finding its line. */
    @Test
    void theLineIsGoneWhenTheWorkIsDoneHoweverSlowItsThread() {
        final StringWriter err = new StringWriter();
        final CountDownLatch asked = new CountDownLatch(1);
        final boolean done = Progress.during(terminal(err), () -> slowLine(asked), () -> await(asked));
        assertThat(done).isTrue();
        assertThat(err.toString()).matches("(\r\u001b\\[Kslow)+\r\u001b\\[K");
        assertThat(Thread.getAllStackTraces().keySet()).extracting(Thread::getName).doesNotContain("rdma4j-progress");
    }

    @Test
    void theLineIsGoneAlsoForWhoIsInterrupted() {
        final Thread worker = Thread.currentThread();
        final StringWriter err = new StringWriter();
        final CountDownLatch asked = new CountDownLatch(1);
        final CountDownLatch interrupted = new CountDownLatch(1);
        Progress.during(terminal(err), () -> {
            asked.countDown();
            Patience.awaitUninterruptibly(interrupted, "the interrupt");
            Patience.awaitUndeterred(worker);
            return "slow";
        }, () -> {
            Patience.awaitUninterruptibly(asked, "the line");
            worker.interrupt();
            interrupted.countDown();
            return true;
        });
        final String seen = err.toString();
        assertThat(Thread.interrupted()).isTrue();
        assertThat(seen).matches("\r\u001b\\[Kslow\r\u001b\\[K");
    }

    private static Terminal terminal(final StringWriter err) {
        return new Terminal(new PrintWriter(new StringWriter()), new PrintWriter(err), false, true);
    }

    private static String slowLine(final CountDownLatch asked) {
        asked.countDown();
        final long end = System.nanoTime() + LONG_NANOS;
        while (System.nanoTime() - end < 0) {
            LockSupport.parkNanos(end - System.nanoTime());
        }
        return "slow";
    }

    private static boolean await(final CountDownLatch latch) {
        try {
            return latch.await(Patience.millis(), TimeUnit.MILLISECONDS);
        } catch (final InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
