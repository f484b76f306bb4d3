/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.event;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.rdma4j.fabric.Counter;
import io.rdma4j.fabric.CounterEvent;
import io.rdma4j.fabric.EqAttributes;
import io.rdma4j.fabric.EventReader;
import io.rdma4j.fabric.FabricEvent;
import io.rdma4j.fabric.OperationKind;
import io.rdma4j.fabric.WaitObject;
import io.rdma4j.fabric.testing.Await;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/** Reading events that are there, and counting, leave nothing for the garbage collector. */
@Timeout(120)
class EventAllocationTest {
    private static final int MANY = 20_000;

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private long seen;

    /** The first rounds warm up: before they are compiled, calls of the JVM's own allocate a little now and then. */
    private void assertNothingAllocated(final Runnable before, final Runnable measured) {
        long least = Long.MAX_VALUE;
        for (int attempt = 0; attempt < 8 && least >= MANY; attempt++) {
            before.run();
            final long start = threads.getCurrentThreadAllocatedBytes();
            measured.run();
            least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - start);
        }
        assertThat(least).as("bytes in %d operations", MANY).isLessThan(MANY);
    }

    @ParameterizedTest
    @EnumSource(value = WaitObject.class, names = {"UNSPEC", "FD", "YIELD"})
    void readingEventsAllocatesNothing(final WaitObject way) {
        try (FabricEventQueue queue = FabricEventQueue.open(
            null, new EqAttributes().writable(true).waitObject(way), any -> { })) {
            final EventReader reader = entry -> seen += entry.data();
            final Duration timeout = Duration.ofSeconds(30);
            final EventSource source = new EventSource() {
                @Override
                public void progress() {
                    seen++;
                }

                @Override
                public long idleNanos() {
                    return Long.MAX_VALUE;
                }
            };
            queue.attach(source);
            assertNothingAllocated(() -> write(queue), () -> {
                for (int i = 0; i < MANY; i++) {
                    queue.peek(reader);
                    queue.readError(reader);
                    final int taken = i % 2 == 0 ? queue.read(reader, 1) : queue.awaitRead(reader, 1, timeout);
                    if (taken != 1) {
                        throw new AssertionError("round " + i + ": " + taken + " of " + queue);
                    }
                }
                if (queue.read(reader, 1) != 0) {
                    throw new AssertionError(queue.toString());
                }
            });
            queue.detach(source);
        }
    }

    private static void write(final FabricEventQueue queue) {
        for (int i = 0; i < MANY; i++) {
            queue.write(FabricEvent.NOTIFY, null, null, i);
        }
    }

    @Test
    void takingAnEventThatEmptiesTheQueueAllocatesNothing() {
        try (FabricEventQueue queue = FabricEventQueue.open(
            null, new EqAttributes().waitObject(WaitObject.FD), any -> { })) {
            final EventReader reader = entry -> seen++;
            final EventRecord event = EventRecord.of(FabricEvent.NOTIFY, null, null);
            assertNothingAllocated(() -> { }, () -> {
                for (int i = 0; i < MANY; i++) {
                    queue.write(event);
                    queue.read(reader, 10);
                    queue.signal();
                    queue.tryWait();
                    queue.tryWait();
                }
            });
        }
    }

    @ParameterizedTest
    @EnumSource(value = WaitObject.class, names = {"UNSPEC", "FD"})
    void countingAllocatesNothing(final WaitObject way) throws Exception {
        final FabricCounter counter = new FabricCounter(null, way, any -> { });
        counter.count(new AtomicLong()::get);
        final Map<CounterEvent, Counter> counters = new EnumMap<>(CounterEvent.class);
        counters.put(CounterEvent.SEND, counter);
        final Waiting.Waiter<Integer> waiter = Waiting.start(() -> counter.await(-1, Await.LONG)).asleep();
        try (EndpointCounters opened = EndpointCounters.open(null, counters)) {
            assertNothingAllocated(() -> { }, () -> {
                for (int i = 0; i < MANY; i++) {
                    opened.success(OperationKind.SEND);
                    opened.success(OperationKind.RECEIVE);
                    seen += counter.read() + counter.readError();
                }
            });
            opened.failure(OperationKind.SEND);
        }
        assertThat(waiter.result()).isNotZero();
        counter.close();
    }
}
