/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.event;

import static io.rdma4j.fabric.testing.Await.LONG;
import static io.rdma4j.fabric.Refusal.assertRefused;
import static io.rdma4j.fabric.testing.Await.until;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.fabric.Counter;
import io.rdma4j.fabric.CounterEvent;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.OperationKind;
import io.rdma4j.fabric.WaitObject;
import io.rdma4j.fabric.event.Waiting.Waiter;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/** Waiting for counters by each way there is, and who wakes up whom. */
@Timeout(120)
class CounterWaitTest {
    private static FabricCounter open(final WaitObject way) {
        return new FabricCounter(null, way, any -> { });
    }

    private static EndpointCounters sends(final FabricCounter counter) {
        final Map<CounterEvent, Counter> counters = new EnumMap<>(CounterEvent.class);
        counters.put(CounterEvent.SEND, counter);
        return EndpointCounters.open(null, counters);
    }

    private static Waiter<Integer> waiter(final FabricCounter counter, final long threshold) {
        final int before = counter.sleepers().length;
        final Waiter<Integer> waiter = Waiting.start(() -> counter.await(threshold, LONG));
        if (counter.waitObject() != WaitObject.YIELD) {
            until("it waits", () -> counter.sleepers().length > before);
            waiter.asleep();
        }
        return waiter;
    }

    @ParameterizedTest
    @EnumSource(value = WaitObject.class, names = {"UNSPEC", "FD", "YIELD"})
    void whatEndpointsCountWakesWhoWaits(final WaitObject way) throws Exception {
        final FabricCounter counter = open(way);
        assertThat(counter.waitObject()).isEqualTo(way);
        try (EndpointCounters sends = sends(counter)) {
            final Waiter<Integer> third = waiter(counter, 3);
            sends.success(OperationKind.SEND);
            sends.success(OperationKind.RECEIVE);
            sends.success(OperationKind.SEND);
            assertThat(third.isOver()).isFalse();
            sends.success(OperationKind.SEND);
            assertThat(third.result()).isZero();
            assertThat(counter.read()).isEqualTo(3);
            assertThat(counter.await(3, Duration.ZERO)).isZero();
            assertThat(counter.await(4, Duration.ofMillis(5))).isEqualTo(-FiErrno.FI_ETIMEDOUT);
        }
        final Waiter<Integer> closed = waiter(counter, 5);
        counter.close();
        assertThat(closed.result()).isEqualTo(-FiErrno.FI_EBADFD);
    }

    @Test
    void failuresAreToldToWhoeverWaits() throws Exception {
        final FabricCounter counter = open(WaitObject.UNSPEC);
        counter.addError(2);
        try (EndpointCounters sends = sends(counter)) {
            final Waiter<Integer> first = waiter(counter, 3);
            final Waiter<Integer> second = waiter(counter, 1000);
            sends.failure(OperationKind.SEND);
            assertThat(first.result()).isEqualTo(-FiErrno.FI_EAVAIL);
            assertThat(second.result()).isEqualTo(-FiErrno.FI_EAVAIL);
            assertThat(counter.readError()).isEqualTo(3);
            assertThat(counter.read()).isZero();
            assertThat(counter.await(1, Duration.ofMillis(2))).as("counted before").isEqualTo(-FiErrno.FI_ETIMEDOUT);
            counter.set(1);
            assertThat(counter.await(1, LONG)).as("the count is reached all the same").isZero();
        }
    }

    @Test
    void onlyWhomItIsOfUseToIsWokenUp() throws Exception {
        final FabricCounter counter = open(WaitObject.UNSPEC);
        final Waiter<Integer> near = waiter(counter, 1);
        final Waiter<Integer> far = waiter(counter, -1);
        counter.add(1);
        assertThat(near.result()).isZero();
        until("only one waits", () -> counter.sleepers().length == 1);
        final CountWaiter sleeper = counter.sleepers()[0];
        for (int i = 0; i < 1000; i++) {
            counter.add(1);
            assertThat(sleeper.isTold()).isFalse();
        }
        assertThat(far.isOver()).isFalse();
        counter.set(-1);
        assertThat(far.result()).isZero();
    }

    @Test
    void aSourceThatIsBoundMeanwhileIsLookedAt() throws Exception {
        final FabricCounter counter = open(WaitObject.UNSPEC);
        final AtomicLong source = new AtomicLong();
        final Waiter<Integer> waiter = waiter(counter, 1);
        counter.count(source::get);
        source.set(1);
        assertThat(waiter.result()).isZero();
        counter.close();
    }

    @Test
    void aSourceThatIsBoundMeanwhileIsToldToWhoWatchesTheDescriptor() {
        final FabricCounter counter = open(WaitObject.FD);
        final AtomicLong source = new AtomicLong();
        try (Epoll level = Epoll.ofLevel(counter.fd())) {
            assertThat(counter.tryWait()).isZero();
            counter.count(source::get);
            source.set(1);
            assertThat(level.await(30_000)).as(counter.toString()).isTrue();
        } finally {
            counter.close();
        }
    }

    @Test
    void waitObjectsAreChecked() {
        assertRefused(FiErrno.FI_EINVAL, () -> open(null));
        assertRefused(FiErrno.FI_ENOSYS, () -> open(WaitObject.MUTEX_COND));
        final FabricCounter counter = open(WaitObject.NONE);
        assertThat(counter.await(0, LONG)).isEqualTo(-FiErrno.FI_ENOSYS);
        assertThat(counter.tryWait()).isEqualTo(-FiErrno.FI_ENOSYS);
        assertThat(counter.fd()).isEqualTo(-1);
        assertThat(open(WaitObject.UNSPEC).tryWait()).isEqualTo(-FiErrno.FI_ENOSYS);
    }

    @Test
    void theDescriptorTellsOfTheNextChange() {
        final FabricCounter counter = open(WaitObject.FD);
        try (Epoll level = Epoll.ofLevel(counter.fd()); EndpointCounters sends = sends(counter)) {
            sends.success(OperationKind.SEND);
            assertThat(level.isReady()).as("nobody asked").isFalse();
            assertThat(counter.tryWait()).isEqualTo(-FiErrno.FI_EAGAIN);
            assertThat(counter.tryWait()).isZero();
            assertThat(level.isReady()).isFalse();
            sends.success(OperationKind.SEND);
            assertThat(level.isReady()).isTrue();
            sends.success(OperationKind.SEND);
            assertThat(counter.read()).isEqualTo(3);
            assertThat(level.isReady()).as("until it is asked again").isTrue();
            assertThat(counter.tryWait()).isEqualTo(-FiErrno.FI_EAGAIN);
            assertThat(level.isReady()).isFalse();
            assertThat(counter.tryWait()).isZero();
            sends.failure(OperationKind.SEND);
            assertThat(level.isReady()).isTrue();
            assertThat(counter.tryWait()).isEqualTo(-FiErrno.FI_EAGAIN);
            counter.set(9);
            assertThat(level.isReady()).isTrue();
        }
        counter.close();
        assertThat(counter.fd()).isEqualTo(-1);
        assertThat(counter.tryWait()).isEqualTo(-FiErrno.FI_EBADFD);
    }

    @Test
    void theDescriptorTellsOfWhatPeersDidToRegions() {
        final FabricCounter counter = open(WaitObject.FD);
        final AtomicLong source = new AtomicLong();
        counter.count(source::get);
        try (Epoll level = Epoll.ofLevel(counter.fd())) {
            for (int i = 1; i < 5; i++) {
                assertThat(counter.tryWait()).isZero();
                assertThat(level.await(5)).isFalse();
                source.set(i);
                assertThat(level.await(30_000)).isTrue();
                assertThat(counter.read()).isEqualTo(i);
                assertThat(counter.tryWait()).isEqualTo(-FiErrno.FI_EAGAIN);
            }
        } finally {
            counter.close();
        }
    }

    @Test
    void aThreadThatWaitsByTheRulesMissesNothing() throws Exception {
        final int count = 200_000;
        final FabricCounter counter = open(WaitObject.FD);
        try (EndpointCounters sends = sends(counter); Epoll edges = Epoll.ofEdges(counter.fd())) {
            final Waiter<Integer> loop = Waiting.start(() -> {
                while (counter.read() < count) {
                    if (counter.tryWait() == 0 && !edges.await(30_000)) {
                        throw new AssertionError("no edge: " + counter);
                    }
                }
                return 0;
            });
            for (int i = 0; i < count; i++) {
                sends.success(OperationKind.SEND);
                if (i % 1024 == 0) {
                    Thread.yield();
                }
            }
            assertThat(loop.result()).isZero();
        }
        counter.close();
    }

    @Test
    void noWaiterSleepsThroughItsCount() throws Exception {
        final int count = 5_000;
        final FabricCounter counter = open(WaitObject.UNSPEC);
        final AtomicLong reached = new AtomicLong();
        try (EndpointCounters sends = sends(counter)) {
            final Waiter<Integer> waiter = Waiting.start(() -> {
                int result = 0;
                for (int i = 1; i <= count && result == 0; i++) {
                    result = counter.await(i, LONG);
                    reached.set(i);
                }
                return result;
            });
            for (int i = 1; i <= count; i++) {
                sends.success(OperationKind.SEND);
                final long expected = i;
                until("the waiter comes to " + expected, () -> reached.get() >= expected || waiter.isOver());
            }
            assertThat(waiter.result()).isZero();
        }
        counter.close();
    }
}
