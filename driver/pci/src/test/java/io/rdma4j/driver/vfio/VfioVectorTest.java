/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.driver.vfio;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.driver.libc.EventFd;
import io.rdma4j.testing.Patience;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.IdleStrategy;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Wake-ups under contention. The vector looks up from its wait only when it is woken: a lost wake-up is a timeout. */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class VfioVectorTest {
    private static final long NEVER = TimeUnit.HOURS.toNanos(1);
    private static final long PATIENCE = Patience.nanos();
    private static final int ROUNDS = 5000;

    private final EventFd irq = EventFd.create();
    private final VfioVector vector = new VfioVector(0, irq, EventFd.create(), NEVER);
    private final AtomicBoolean stop = new AtomicBoolean();
    private final AtomicLong taken = new AtomicLong();

    @AfterEach
    void closes() {
        stop.set(true);
        vector.close();
        vector.close();
    }

    private Thread start(final Runnable work) {
        final Thread thread = new Thread(work);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    /** One at a time: each firing needs a wake-up of its own. */
    private void fire() {
        // On a busy machine who sleeps gets a processor before who yields.
        final IdleStrategy idle = new BackoffIdleStrategy(100, 0, 1_000, 100_000);
        for (int i = 0; i < ROUNDS && !stop.get(); i++) {
            irq.signal();
            idle.reset();
            while (taken.get() <= i && !stop.get()) {
                idle.idle();
            }
        }
    }

    private void look() {
        while (!stop.get()) {
            vector.fired();
        }
    }

    private void takeAll() {
        while (taken.get() < ROUNDS) {
            final long count = vector.await(PATIENCE);
            assertThat(count).as("after %d of %d: %s", taken.get(), ROUNDS, vector).isEqualTo(1);
            taken.addAndGet(count);
        }
        stop.set(true);
    }

    @Test
    void losesNoWakeUp() throws Exception {
        final Thread firer = start(this::fire);
        takeAll();
        firer.join(TimeUnit.NANOSECONDS.toMillis(PATIENCE));
        assertThat(vector.fired()).isEqualTo(ROUNDS);
    }

    /** The second thread reads the count all the time, and so takes it from under the one that waits. */
    @Test
    void losesNoWakeUpToAThreadThatLooks() throws Exception {
        final Thread looker = start(this::look);
        final Thread firer = start(this::fire);
        takeAll();
        looker.join(TimeUnit.NANOSECONDS.toMillis(PATIENCE));
        firer.join(TimeUnit.NANOSECONDS.toMillis(PATIENCE));
        assertThat(vector.fired()).isEqualTo(ROUNDS);
    }

    @Test
    void closingEndsTheWait() throws Exception {
        final AtomicLong count = new AtomicLong(-1);
        final Thread waiter = start(() -> count.set(vector.await(PATIENCE)));
        Thread.sleep(20);
        vector.close();
        Patience.join(waiter);
        assertThat(count).hasValue(0);
    }
}
