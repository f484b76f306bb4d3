/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.event;

import static io.rdma4j.fabric.testing.Await.LONG;
import static io.rdma4j.fabric.Refusal.assertRefused;
import static io.rdma4j.fabric.testing.Await.until;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.fabric.EqAttributes;
import io.rdma4j.fabric.FabricEvent;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.WaitObject;
import io.rdma4j.fabric.event.Waiting.Waiter;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** Waiting for events by each way there is, and what ends it. */
@Timeout(120)
class EventQueueWaitTest {
    private static FabricEventQueue open(final WaitObject way) {
        return FabricEventQueue.open(null, new EqAttributes().writable(true).waitObject(way), any -> { });
    }

    private static Waiter<Integer> waiterOf(final FabricEventQueue queue) {
        return Waiting.start(() -> queue.awaitRead(entry -> { }, 10, LONG));
    }

    private static void write(final FabricEventQueue queue) {
        queue.write(FabricEvent.NOTIFY, null, null, 1);
    }

    @ParameterizedTest
    @EnumSource(value = WaitObject.class, names = {"UNSPEC", "FD", "YIELD"})
    void anEventASignalTheEndAndAnInterruptEndIt(final WaitObject way) throws Exception {
        final FabricEventQueue queue = open(way);
        assertThat(queue.waitObject()).isEqualTo(way);
        final Waiter<Integer> first = waiting(queue);
        write(queue);
        assertThat(first.result()).isEqualTo(1);
        final Waiter<Integer> second = waiting(queue);
        queue.signal();
        assertThat(second.result()).isZero();
        final Waiter<Integer> third = waiting(queue);
        third.interrupt();
        assertThat(third.result()).isZero();
        final Waiter<Integer> fourth = waiting(queue);
        queue.close();
        assertThat(fourth.result()).isZero();
    }

    private static Waiter<Integer> waiting(final FabricEventQueue queue) {
        until("nobody waits", () -> queue.waiters() == 0);
        final Waiter<Integer> waiter = waiterOf(queue);
        until("it waits", () -> queue.waiters() == 1);
        return queue.waitObject() == WaitObject.YIELD ? waiter : waiter.asleep();
    }

    @ParameterizedTest
    @EnumSource(value = WaitObject.class, names = {"UNSPEC", "FD", "YIELD"})
    void theTimeEndsIt(final WaitObject way) {
        try (FabricEventQueue queue = open(way)) {
            final long start = System.nanoTime();
            assertThat(queue.awaitRead(entry -> { }, 1, Duration.ofMillis(20))).isZero();
            assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(20_000_000);
            write(queue);
            assertThat(queue.awaitRead(entry -> { }, 1, Duration.ofSeconds(Long.MIN_VALUE))).isEqualTo(1);
        }
    }

    @Test
    void thereIsNoWaitingWithoutAWayTo() {
        try (FabricEventQueue queue = open(WaitObject.NONE)) {
            write(queue);
            assertThat(assertRefused(FiErrno.FI_ENOSYS, () -> queue.awaitRead(entry -> { }, 1, LONG)))
                .hasMessageContaining("NONE");
            assertThat(queue.tryWait()).isEqualTo(-FiErrno.FI_ENOSYS);
            assertThat(queue.fd()).isEqualTo(-1);
            queue.signal();
            assertThat(queue.read(entry -> { }, 1)).isEqualTo(1);
        }
        try (FabricEventQueue queue = open(WaitObject.UNSPEC)) {
            assertThat(queue.tryWait()).isEqualTo(-FiErrno.FI_ENOSYS);
            assertThat(queue.fd()).isEqualTo(-1);
        }
    }

    @Test
    void aSignalEndsTheNextWaitIfThereIsNone() {
        try (FabricEventQueue queue = open(WaitObject.UNSPEC)) {
            queue.signal();
            queue.signal();
            assertThat(queue.read(entry -> { }, 1)).isZero();
            assertThat(queue.awaitRead(entry -> { }, 1, LONG)).isZero();
            final long start = System.nanoTime();
            assertThat(queue.awaitRead(entry -> { }, 1, Duration.ofMillis(20))).as("two are as one").isZero();
            assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(20_000_000);
            queue.signal();
            write(queue);
            assertThat(queue.awaitRead(entry -> { }, 1, LONG)).as("events first").isEqualTo(1);
            assertThat(queue.awaitRead(entry -> { }, 1, LONG)).as("the signal was not for that").isZero();
        }
    }

    @Test
    void eachSignalEndsOneOfManyWaits() throws Exception {
        try (FabricEventQueue queue = open(WaitObject.UNSPEC)) {
            final List<Waiter<Integer>> waiters = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                waiters.add(waiterOf(queue).asleep());
            }
            for (int ended = 1; ended <= 4; ended++) {
                final int expected = ended;
                queue.signal();
                until(expected + " ended", () -> waiters.stream().filter(Waiter::isOver).count() >= expected);
                assertThat(waiters.stream().filter(Waiter::isOver).count()).isEqualTo(expected);
            }
            for (final Waiter<Integer> waiter : waiters) {
                assertThat(waiter.result()).isZero();
            }
        }
    }

    @Test
    void aWakeUpIsHandedOnByWhoLeavesForAnotherReason() throws Exception {
        try (FabricEventQueue queue = open(WaitObject.UNSPEC)) {
            for (int i = 0; i < 2000; i++) {
                // Either may be woken up for the event, and take it while the signal comes: the other gets the rest.
                final Waiter<Integer> first = waiterOf(queue);
                final Waiter<Integer> second = waiterOf(queue);
                until("both wait", () -> queue.waiters() == 2);
                write(queue);
                queue.signal();
                assertThat(first.result() + second.result()).as("round %d", i).isEqualTo(1);
            }
        }
    }

    @Test
    void eachEventOfManyWritersGoesToOneOfManyReaders() throws Exception {
        final int each = 20_000;
        final FabricEventQueue queue = open(WaitObject.FD);
        final AtomicInteger[] taken = new AtomicInteger[3 * each];
        for (int i = 0; i < taken.length; i++) {
            taken[i] = new AtomicInteger();
        }
        final AtomicInteger total = new AtomicInteger();
        final List<Waiter<Integer>> readers = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            readers.add(Waiting.start(() -> {
                while (total.get() < 3 * each) {
                    total.addAndGet(queue.awaitRead(entry -> taken[(int) entry.data()].incrementAndGet(), 7, LONG));
                }
                queue.signal();
                return 0;
            }));
        }
        final List<Waiter<Integer>> writers = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            final int first = i * each;
            writers.add(Waiting.start(() -> {
                for (int number = first; number < first + each; number++) {
                    queue.write(FabricEvent.NOTIFY, null, null, number);
                }
                return 0;
            }));
        }
        for (final Waiter<Integer> writer : writers) {
            writer.result();
        }
        for (final Waiter<Integer> reader : readers) {
            reader.result();
        }
        for (int i = 0; i < taken.length; i++) {
            assertThat(taken[i]).as("event %d", i).hasValue(1);
        }
        queue.close();
    }
}
