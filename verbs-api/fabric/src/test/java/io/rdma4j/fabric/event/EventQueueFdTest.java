/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.event;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.driver.libc.Libc;
import io.rdma4j.driver.libc.LibcConstants;
import io.rdma4j.driver.libc.PollSet;
import io.rdma4j.fabric.EqAttributes;
import io.rdma4j.fabric.FabricEvent;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.WaitObject;
import io.rdma4j.fabric.event.Waiting.Waiter;
import io.rdma4j.fabric.testing.Await;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.concurrent.atomic.AtomicLong;

/** The descriptor of an event queue, as poll and epoll see it. */
@Timeout(120)
class EventQueueFdTest {
    private static final int LONG_MS = 30_000;

    private final FabricEventQueue queue = FabricEventQueue.open(
        null, new EqAttributes().writable(true).waitObject(WaitObject.FD), any -> { });
    private final Epoll level = Epoll.ofLevel(queue.fd());
    private final Epoll edges = Epoll.ofEdges(queue.fd());

    @AfterEach
    void close() {
        level.close();
        edges.close();
        queue.close();
    }

    private void write() {
        queue.write(FabricEvent.NOTIFY, null, null, 1);
    }

    private int read(final int limit) {
        return queue.read(entry -> { }, limit);
    }

    @Test
    void itIsReadableAsLongAsThereIsSomethingToRead() {
        final PollSet set = new PollSet(1);
        set.add(queue.fd(), LibcConstants.POLLIN);
        assertThat(Libc.poll(set, 0)).isZero();
        assertThat(queue.tryWait()).isZero();
        write();
        write();
        assertThat(Libc.poll(set, 0)).isEqualTo(1);
        assertThat(level.isReady()).isTrue();
        assertThat(queue.tryWait()).isEqualTo(-FiErrno.FI_EAGAIN);
        assertThat(read(1)).isEqualTo(1);
        assertThat(level.isReady()).as("one is left").isTrue();
        assertThat(queue.peek(entry -> { })).isEqualTo(1);
        assertThat(level.isReady()).as("looking takes nothing").isTrue();
        assertThat(read(1)).isEqualTo(1);
        assertThat(level.isReady()).isFalse();
        assertThat(Libc.poll(set, 0)).isZero();
        assertThat(queue.tryWait()).isZero();
        queue.write(EventRecord.of(FabricEvent.CONNECTED, null, null).failed(FiErrno.FI_ETIMEDOUT, ""));
        assertThat(level.isReady()).isTrue();
        assertThat(queue.readError(entry -> { })).isEqualTo(1);
        assertThat(level.isReady()).isFalse();
    }

    /** Each read takes the descriptor's state away that would tell of a time which nobody else knows. */
    @Test
    void whoWatchesIsToldOfATimeThatAnotherReaderFound() {
        final AtomicLong idle = new AtomicLong(Long.MAX_VALUE);
        final EventSource source = new EventSource() {
            @Override
            public void progress() {
                // There is nothing to be done.
            }

            @Override
            public long idleNanos() {
                return idle.get();
            }
        };
        queue.attach(source);
        read(1);
        assertThat(queue.tryWait()).as("this one is about to wait").isZero();
        idle.set(20_000_000);
        queue.wake();
        assertThat(read(1)).as("by another one, meanwhile").isZero();
        assertThat(level.await(LONG_MS)).isTrue();
        assertThat(read(1)).as("again, when its time had come").isZero();
        assertThat(level.await(LONG_MS)).isTrue();
        queue.detach(source);
    }

    @Test
    void eachEventIsAnEdge() {
        assertThat(edges.isReady()).isFalse();
        write();
        assertThat(edges.isReady()).isTrue();
        assertThat(edges.isReady()).isFalse();
        write();
        assertThat(edges.isReady()).as("another one, though none was read").isTrue();
        assertThat(read(1)).isEqualTo(1);
        assertThat(edges.isReady()).as("reading is no edge").isFalse();
        assertThat(read(10)).isEqualTo(1);
        assertThat(edges.isReady()).isFalse();
        write();
        assertThat(edges.isReady()).isTrue();
    }

    @Test
    void aSignalIsSeenUntilTheNextWait() {
        queue.signal();
        assertThat(level.isReady()).isTrue();
        assertThat(edges.isReady()).isTrue();
        assertThat(read(1)).as("reading does not take it").isZero();
        assertThat(level.isReady()).isTrue();
        assertThat(queue.tryWait()).as("ends this wait").isEqualTo(-FiErrno.FI_EAGAIN);
        assertThat(level.isReady()).isFalse();
        assertThat(queue.tryWait()).isZero();
    }

    @Test
    void awaitReadTakesTheSignalToo() {
        queue.signal();
        assertThat(queue.awaitRead(entry -> { }, 1, Await.LONG)).isZero();
        assertThat(level.isReady()).isFalse();
        assertThat(queue.tryWait()).isZero();
    }

    @Test
    void aThreadInTheKernelIsWokenUp() throws Exception {
        for (int i = 0; i < 200; i++) {
            assertThat(queue.tryWait()).isZero();
            final Waiter<Boolean> waiter = Waiting.start(() -> (edges.await(LONG_MS)));
            if (i % 2 == 0) {
                Thread.yield();
            }
            write();
            assertThat(waiter.result()).as("round %d", i).isTrue();
            assertThat(read(10)).isEqualTo(1);
        }
    }

    @Test
    void aThreadThatWaitsByTheRulesMissesNothing() throws Exception {
        final int events = 20_000;
        final Waiter<Integer> loop = Waiting.start(() -> {
            int taken = 0;
            while (taken < events) {
                final int now = read(3);
                taken += now;
                if (now == 0 && queue.tryWait() == 0 && !edges.await(LONG_MS)) {
                    throw new AssertionError("no edge after " + taken + " of " + events + ", " + queue);
                }
            }
            return taken;
        });
        for (int i = 0; i < events; i++) {
            write();
            if (i % 64 == 0) {
                Thread.yield();
            }
        }
        assertThat(loop.result()).isEqualTo(events);
    }

    @Test
    void descriptorsAreGivenBack() {
        final int first = queue.fd();
        int next = first;
        for (int i = 0; i < 500; i++) {
            final FabricCounter counter = new FabricCounter(null, WaitObject.FD, any -> { });
            counter.count(() -> 1);
            assertThat(counter.tryWait()).isZero();
            final FabricEventQueue other =
                FabricEventQueue.open(null, new EqAttributes().waitObject(WaitObject.FD), any -> { });
            next = Math.max(next, Math.max(other.fd(), counter.fd()));
            other.close();
            counter.close();
        }
        assertThat(next).as("the largest of 1000, begun at %d", first).isLessThan(first + 500);
    }

    @Test
    void aClosedOneHasNone() {
        queue.close();
        assertThat(queue.fd()).isEqualTo(-1);
        assertThat(level.isReady()).isFalse();
    }
}
