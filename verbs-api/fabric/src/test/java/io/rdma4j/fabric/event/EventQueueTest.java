/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.event;

import static io.rdma4j.fabric.Refusal.assertRefused;
import static io.rdma4j.fabric.testing.Await.LONG;
import static io.rdma4j.fabric.testing.Await.until;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.fabric.EventEntry;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.testing.Patience;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** Event queues: order, growth, waiting, closing. */
@Timeout(60)
class EventQueueTest {

    private final AtomicInteger closed = new AtomicInteger();
    private final FabricEventQueue queue = new FabricEventQueue(null, 2, any -> closed.incrementAndGet());

    private static EventEntry entry(final int number) {
        return new RegionEvent(null, number, 0, "");
    }

    @Test
    void eventsComeInOrderHoweverMany() {
        for (int i = 0; i < 1000; i++) {
            queue.write(entry(i));
        }
        assertThat(queue.size()).isEqualTo(1000);
        final List<Object> contexts = new ArrayList<>();
        assertThat(queue.read(entry -> contexts.add(entry.context()), 10)).isEqualTo(10);
        assertThat(queue.awaitRead(entry -> contexts.add(entry.context()), 5000, LONG)).isEqualTo(990);
        for (int i = 0; i < 1000; i++) {
            assertThat(contexts.get(i)).isEqualTo(i);
        }
        assertThat(queue.read(entry -> { }, 1)).isZero();
    }

    @Test
    void waitingEndsWithAnEventWithTheTimeOrWithTheQueue() throws InterruptedException {
        assertThat(queue.awaitRead(entry -> { }, 1, Duration.ofMillis(1))).isZero();
        assertThat(queue.awaitRead(entry -> { }, 1, Duration.ofSeconds(-1))).isZero();
        final List<Integer> taken = new ArrayList<>();
        final Thread reader = new Thread(() -> {
            taken.add(queue.awaitRead(entry -> { }, 1, LONG));
            taken.add(queue.awaitRead(entry -> { }, 1, Duration.ofSeconds(Long.MAX_VALUE)));
        });
        reader.start();
        queue.write(entry(1));
        until("it has read and waits", () -> queue.size() == 0 && reader.getState() == Thread.State.TIMED_WAITING);
        queue.close();
        Patience.join(reader);
        assertThat(taken).containsExactly(1, 0);
    }

    @Test
    void anInterruptedReaderIsToldByItsFlag() {
        Thread.currentThread().interrupt();
        assertThat(queue.awaitRead(entry -> { }, 1, LONG)).isZero();
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void aQueueIsClosedOnceAndWhenNobodyReportsToIt() {
        queue.bind();
        assertRefused(FiErrno.FI_EBUSY, queue::close);
        queue.unbind();
        queue.write(entry(1));
        queue.close();
        queue.close();
        assertThat(closed.get()).isEqualTo(1);
        assertThat(queue.isClosed()).isTrue();
        assertThat(queue.size()).isZero();
        assertThat(queue.toString()).contains("closed");
        assertRefused(FiErrno.FI_EBADFD, () -> queue.read(entry -> { }, 1));
        assertRefused(FiErrno.FI_EBADFD, () -> queue.awaitRead(entry -> { }, 1, LONG));
        assertRefused(FiErrno.FI_EBADFD, queue::bind);
    }

    @Test
    void argumentsAreChecked() {
        assertRefused(FiErrno.FI_EINVAL, () -> queue.read(null, 1));
        assertRefused(FiErrno.FI_EINVAL, () -> queue.read(entry -> { }, 0));
        assertRefused(FiErrno.FI_EINVAL, () -> queue.awaitRead(entry -> { }, -1, LONG));
        assertRefused(FiErrno.FI_EINVAL, () -> queue.awaitRead(entry -> { }, 1, null));
    }
}
