/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.event;

import static io.rdma4j.fabric.testing.Await.LONG;
import static io.rdma4j.fabric.Refusal.assertRefused;
import static io.rdma4j.fabric.testing.Await.until;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.fabric.EqAttributes;
import io.rdma4j.fabric.FabricEvent;
import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.WaitObject;
import io.rdma4j.fabric.event.Waiting.Waiter;
import io.rdma4j.testing.Patience;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Progress of what is attached to an event queue. */
@Timeout(120)
class EventSourcesTest {
    private final FabricEventQueue queue = open(WaitObject.UNSPEC);

    private static FabricEventQueue open(final WaitObject way) {
        return FabricEventQueue.open(null, new EqAttributes().waitObject(way), any -> { });
    }

    /** Does what a test says, and counts. */
    private static class Source implements EventSource {
        final AtomicInteger turns = new AtomicInteger();
        volatile Runnable action = () -> { };
        volatile long idle = Long.MAX_VALUE;

        @Override
        public void progress() {
            turns.incrementAndGet();
            action.run();
        }

        @Override
        public long idleNanos() {
            return idle;
        }
    }

    /** Is due at a time, and writes an event then. */
    private static final class Timer implements EventSource {
        private final FabricEventQueue queue;
        private final long end;
        private boolean done;

        Timer(final FabricEventQueue queue, final long nanos) {
            this.queue = queue;
            end = System.nanoTime() + nanos;
        }

        @Override
        public synchronized void progress() {
            if (!done && System.nanoTime() - end >= 0) {
                done = true;
                queue.write(EventRecord.of(FabricEvent.CONNECTED, this, null));
            }
        }

        @Override
        public synchronized long idleNanos() {
            return done ? Long.MAX_VALUE : Math.max(0, end - System.nanoTime());
        }
    }

    private static EventRecord event() {
        return EventRecord.of(FabricEvent.NOTIFY, null, null);
    }

    @Test
    void aSourceThatThrowsKeepsNobodyFromTheEventsThatAreThere() {
        final Source source = new Source();
        source.action = () -> {
            throw new IllegalStateException("each time");
        };
        queue.attach(source);
        queue.write(event());
        queue.write(event());
        assertThat(queue.read(entry -> { }, 1)).isEqualTo(1);
        assertThat(queue.awaitRead(entry -> { }, 1, Patience.duration())).isEqualTo(1);
        assertThatThrownBy(() -> queue.read(entry -> { }, 1)).hasMessage("each time");
        assertThat(source.turns).hasValue(3);
        queue.detach(source);
    }

    @Test
    void readingMakesProgressUntilTheSourceIsDetached() {
        final Source source = new Source();
        queue.attach(source);
        source.action = () -> queue.write(event());
        assertThat(queue.read(entry -> { }, 1)).as("what progress brings is read").isEqualTo(1);
        assertThat(queue.peek(entry -> { })).isEqualTo(1);
        source.action = () -> { };
        queue.readError(entry -> { });
        assertThat(source.turns.get()).isGreaterThanOrEqualTo(3);
        assertRefused(FiErrno.FI_EBUSY, queue::close);
        queue.detach(source);
        queue.detach(source);
        source.turns.set(0);
        queue.read(entry -> { }, 1);
        assertThat(source.turns).hasValue(0);
        queue.close();
    }

    @ParameterizedTest
    @EnumSource(value = WaitObject.class, names = {"UNSPEC", "FD", "YIELD"})
    void whoWaitsIsInTimeForASource(final WaitObject way) {
        try (FabricEventQueue other = open(way)) {
            final Source idle = new Source();
            other.attach(idle);
            final Timer timer = new Timer(other, 50_000_000);
            other.attach(timer);
            assertThat(other.awaitRead(entry -> { }, 1, LONG)).isEqualTo(1);
            other.detach(timer);
            other.detach(idle);
        }
    }

    @Test
    void aSourceThatComesLaterOrHasWorkWakesWhoWaits() throws Exception {
        final Waiter<Integer> waiter = Waiting.start(() -> queue.awaitRead(entry -> { }, 1, LONG)).asleep();
        final Source source = new Source();
        queue.attach(source);
        until("it made progress", () -> source.turns.get() == 1);
        waiter.asleep();
        source.action = () -> queue.write(event());
        queue.wake();
        assertThat(waiter.result()).isEqualTo(1);
        queue.detach(source);
        queue.close();
    }

    @Test
    void aSourceWhoseTimeComesSoonerByAnothersProgressWakesWhoWaits() throws Exception {
        final Source source = new Source();
        queue.attach(source);
        final Waiter<Integer> waiter = Waiting.start(() -> queue.awaitRead(entry -> { }, 1, LONG)).asleep();
        final AtomicInteger turns = source.turns;
        turns.set(0);
        // The first turn is this thread's, the second the waiter's, after 5 ms instead of 30 s.
        source.action = () -> {
            source.idle = 5_000_000;
            if (turns.get() == 4) {
                queue.write(event());
            }
        };
        queue.peek(entry -> { });
        assertThat(waiter.result()).isEqualTo(1);
        queue.detach(source);
        queue.close();
    }

    @Test
    void oneThreadMakesProgressAndOthersDoNotWaitForIt() throws Exception {
        final CountDownLatch inside = new CountDownLatch(1);
        final CountDownLatch go = new CountDownLatch(1);
        final Source source = new Source();
        queue.attach(source);
        queue.read(entry -> { }, 1);
        source.turns.set(0);
        source.action = () -> {
            inside.countDown();
            await(go);
        };
        final Waiter<Integer> first = Waiting.start(() -> queue.read(entry -> { }, 1));
        await(inside);
        queue.write(event());
        assertThat(queue.read(entry -> { }, 1)).as("by another thread").isEqualTo(1);
        assertThat(source.turns).hasValue(1);
        // There is more to do, which the first thread does not know yet: it must not be forgotten.
        queue.wake();
        assertThat(queue.read(entry -> { }, 1)).isZero();
        go.countDown();
        assertThat(first.result()).isZero();
        assertThat(source.turns).hasValue(2);
        queue.detach(source);
        queue.close();
    }

    @Test
    void whoWaitsIsInTimeWhileOthersReadToo() throws Exception {
        final Waiter<Integer> reader = Waiting.start(() -> {
            while (!queue.isClosed()) {
                try {
                    queue.peek(entry -> { });
                } catch (final FabricException e) {
                    assertThat(e.errno()).isEqualTo(FiErrno.FI_EBADFD);
                }
            }
            return 0;
        });
        for (int i = 0; i < 300; i++) {
            final Timer timer = new Timer(queue, 1_000_000);
            queue.attach(timer);
            assertThat(queue.awaitRead(entry -> { }, 1, LONG)).as("round %d", i).isEqualTo(1);
            queue.detach(timer);
        }
        queue.close();
        assertThat(reader.result()).isZero();
    }

    private static void await(final CountDownLatch latch) {
        try {
            assertThat(latch.await(LONG.toSeconds(), TimeUnit.SECONDS)).isTrue();
        } catch (final InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void aSourceThatFailsDoesNotKeepOthersFromTheirProgress() {
        final Source bad = new Source();
        final Source good = new Source();
        queue.attach(bad);
        queue.attach(good);
        bad.action = () -> {
            throw new IllegalStateException("bad");
        };
        assertThatThrownBy(() -> queue.read(entry -> { }, 1)).hasMessage("bad");
        assertThat(good.turns.get()).isPositive();
        queue.detach(bad);
        assertThat(queue.read(entry -> { }, 1)).isZero();
        queue.detach(good);
        queue.close();
    }

    @Test
    void aSignalThatWokeAThreadWhichThenFailedEndsAnothersWait() throws Exception {
        final AtomicInteger failures = new AtomicInteger();
        final Source source = new Source();
        queue.attach(source);
        final Callable<Integer> waits = () -> {
            try {
                return queue.awaitRead(entry -> { }, 1, LONG.multipliedBy(10));
            } catch (final IllegalStateException e) {
                return -1;
            }
        };
        final Waiter<Integer> first = Waiting.start(waits).asleep();
        final Waiter<Integer> second = Waiting.start(waits).asleep();
        until("both wait", () -> queue.waiters() == 2 && first.isAsleep() && second.isAsleep());
        source.action = () -> {
            if (failures.incrementAndGet() == 1) {
                throw new IllegalStateException("once");
            }
        };
        queue.signal();
        assertThat(first.result() + second.result()).as("one failed, one was signalled").isEqualTo(-1);
        queue.detach(source);
        queue.close();
    }

    @Test
    void aSourceThatWakesTheQueueEachTimeKeepsNobody() {
        final Source source = new Source();
        source.action = queue::wake;
        queue.attach(source);
        assertThat(queue.read(entry -> { }, 1)).isZero();
        assertThat(queue.awaitRead(entry -> { }, 1, Duration.ofMillis(5))).isZero();
        queue.detach(source);
        queue.close();
    }

    @Test
    void aDescriptorTellsOfWorkAndOfTime() {
        final FabricEventQueue other = open(WaitObject.FD);
        final Source source = new Source();
        try (Epoll level = Epoll.ofLevel(other.fd())) {
            other.attach(source);
            assertThat(level.isReady()).as("there is something to do").isTrue();
            assertThat(other.read(entry -> { }, 1)).isZero();
            assertThat(level.isReady()).as("it was done").isFalse();
            source.idle = 0;
            assertThat(other.tryWait()).as("to go on with now").isEqualTo(-FiErrno.FI_EAGAIN);
            // The clock tells of it, too: later that would be a wake-up of its own.
            assertThat(level.await(30_000)).as("at once").isTrue();
            source.idle = Long.MAX_VALUE;
            other.wake();
            assertThat(level.isReady()).isTrue();
            assertThat(other.tryWait()).isZero();
            assertThat(level.isReady()).isFalse();
            source.idle = 3_600_000_000_000L;
            assertThat(other.tryWait()).isZero();
            source.action = () -> source.idle = 10_000_000;
            other.read(entry -> { }, 1);
            assertThat(level.await(30_000)).as("sooner than an hour").isTrue();
            source.action = () -> { };
            source.idle = 20_000_000;
            // They may be over by the time that it looks.
            assertThat(other.tryWait()).isIn(0, -FiErrno.FI_EAGAIN);
            assertThat(level.await(30_000)).as("after 20 ms").isTrue();
        } finally {
            other.detach(source);
            other.close();
        }
    }
}
