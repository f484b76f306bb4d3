/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.event;

import static io.rdma4j.fabric.Refusal.assertRefused;
import static io.rdma4j.fabric.testing.Await.LONG;
import static io.rdma4j.fabric.testing.Await.until;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.fabric.FiErrno;
import io.rdma4j.testing.Patience;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** Counters: own value and sources, waiting, closing. */
@Timeout(60)
class CounterTest {

    private final AtomicInteger closed = new AtomicInteger();
    private final FabricCounter counter = new FabricCounter(null, any -> closed.incrementAndGet());
    private final AtomicLong source = new AtomicLong(10);

    @Test
    void aSourceCountsFromItsBindingOn() {
        counter.add(5);
        counter.count(source::get);
        assertThat(counter.read()).isEqualTo(5);
        source.addAndGet(2);
        assertThat(counter.read()).isEqualTo(7);
        counter.set(100);
        assertThat(counter.read()).isEqualTo(100);
        source.incrementAndGet();
        counter.add(-1);
        assertThat(counter.read()).isEqualTo(100);
        counter.set(0);
        counter.add(-1);
        assertThat(Long.toUnsignedString(counter.read())).as("unsigned").isEqualTo("18446744073709551615");
    }

    @Test
    void whoWaitsIsToldOfTheCountTheFailureTheTimeOrTheEnd() throws InterruptedException {
        counter.count(source::get);
        assertThat(counter.await(0, Duration.ZERO)).isZero();
        assertThat(counter.await(1, Duration.ofMillis(2))).isEqualTo(-FiErrno.FI_ETIMEDOUT);
        assertThat(waitWhile(source::incrementAndGet)).isZero();
        source.set(10);
        assertThat(waitWhile(() -> counter.addError(1))).isEqualTo(-FiErrno.FI_EAVAIL);
        assertThat(counter.readError()).isEqualTo(1);
        assertThat(waitWhile(counter::close)).isEqualTo(-FiErrno.FI_EBADFD);
    }

    @Test
    void failuresAreSetAsTheCountIs() throws InterruptedException {
        counter.addError(7);
        counter.setError(3);
        assertThat(counter.readError()).isEqualTo(3);
        assertThat(counter.read()).isZero();
        assertThat(waitWhile(() -> counter.setError(4))).isEqualTo(-FiErrno.FI_EAVAIL);
        counter.setError(0);
        assertThat(counter.readError()).isZero();
        counter.close();
        assertRefused(FiErrno.FI_EBADFD, () -> counter.setError(1));
    }

    private int waitWhile(final Runnable change) throws InterruptedException {
        final AtomicInteger result = new AtomicInteger(1);
        final Thread waiter = new Thread(() -> result.set(counter.await(1, LONG)));
        waiter.start();
        until("it waits", () -> waiter.getState() == Thread.State.TIMED_WAITING);
        change.run();
        Patience.join(waiter);
        return result.get();
    }

    @Test
    void anInterruptedWaiterGivesUp() {
        Thread.currentThread().interrupt();
        assertThat(counter.await(1, LONG)).isEqualTo(-FiErrno.FI_ETIMEDOUT);
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void afterTheEndTheCountStays() {
        counter.count(source::get);
        source.addAndGet(3);
        counter.close();
        counter.close();
        source.addAndGet(3);
        assertThat(counter.read()).isEqualTo(3);
        assertThat(closed.get()).isEqualTo(1);
        assertThat(counter.toString()).contains("closed");
        assertRefused(FiErrno.FI_EBADFD, () -> counter.add(1));
        assertRefused(FiErrno.FI_EBADFD, () -> counter.addError(1));
        assertRefused(FiErrno.FI_EBADFD, () -> counter.set(1));
        assertRefused(FiErrno.FI_EBADFD, () -> counter.count(source::get));
        assertThat(counter.await(0, LONG)).isEqualTo(-FiErrno.FI_EBADFD);
        assertRefused(FiErrno.FI_EINVAL, () -> counter.await(0, null));
    }

    @Test
    void aCounterThatIsClosedWhileItIsSetKeepsWhatWasSet() throws InterruptedException {
        final AtomicLong count = new AtomicLong(3);
        final AtomicBoolean ends = new AtomicBoolean();
        final Thread closer = new Thread(counter::close);
        counter.count(() -> {
            if (count.get() == 7 && ends.compareAndSet(false, true)) {
                closer.start();
                until("it is closed", counter::isClosed);
                assertThat(closed).as("the memory of sources is read").hasValue(0);
            }
            return count.get();
        });
        count.set(7);
        counter.set(100);
        Patience.join(closer);
        assertThat(closed).hasValue(1);
        assertThat(counter.read()).isEqualTo(100);
    }
}
