/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.jna.Function;
import com.sun.jna.Native;
import io.rdma4j.fabric.CompletionQueue;
import io.rdma4j.fabric.CqAttributes;
import io.rdma4j.fabric.EndpointOptions;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.Hints;
import io.rdma4j.fabric.MemoryRegion;
import io.rdma4j.fabric.MsgEndpoint;
import io.rdma4j.fabric.OperationKind;
import io.rdma4j.fabric.WaitObject;
import io.rdma4j.fabric.testing.Await;
import io.rdma4j.fabric.testing.Done;
import io.rdma4j.testing.Patience;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** Threads that wait for completion queues, and what wakes them up. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class WaitingTest {
    private static final Duration LONG = Patience.duration();

    @RegisterExtension
    final Sides sides = new Sides(Mode.PROV_KEY_VIRT::hints);

    private final ExecutorService threads = Executors.newCachedThreadPool();

    @AfterEach
    void close() {
        threads.shutdownNow();
    }

    /** An endpoint with a queue of its own kind, connected with a side. */
    private final class End implements AutoCloseable {
        final CompletionQueue cq;
        final MsgEndpoint ep;
        final Side side;

        End(final WaitObject way, final Side peer) {
            side = sides.open();
            cq = side.domain.openCompletionQueue(new CqAttributes().waitObject(way));
            ep = side.domain.openEndpoint(new EndpointOptions().sizes(16, 16).completionQueue(cq));
            ep.connect(peer.ep.name());
            peer.ep.connect(ep.name());
        }

        @Override
        public void close() {
            ep.close();
            cq.close();
        }
    }

    private static int await(final CompletionQueue cq, final List<Done> done) {
        return cq.awaitRead(entry -> done.add(Done.of(entry)), 1, LONG);
    }

    private static void untilItSleeps(final Thread thread) {
        while (thread.getState() != Thread.State.TIMED_WAITING) {
            Patience.pause();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"UNSPEC", "FD", "YIELD"})
    void messagesAndDataOfWritesWakeUp(final WaitObject way) throws Exception {
        final Side a = sides.open();
        try (End end = new End(way, a)) {
            final MemoryRegion into = end.side.register(1);
            final MemoryRegion desc = a.local();
            final List<Done> done = new ArrayList<>();
            final Thread[] waiting = new Thread[1];
            for (int round = 0; round < 20; round++) {
                final int context = round;
                assertThat(end.ep.receive(end.side.at(0), 64, into, context)).isZero();
                final Future<Integer> taken = threads.submit(() -> {
                    waiting[0] = Thread.currentThread();
                    return await(end.cq, done);
                });
                while (waiting[0] == null) {
                    Patience.pause();
                }
                if (way != WaitObject.YIELD && round % 2 == 0) {
                    untilItSleeps(waiting[0]);
                }
                if (round % 4 < 2) {
                    a.succeeds(() -> a.ep.send(a.at(0), 8, desc, 1));
                } else {
                    a.succeeds(() -> a.ep.writeWithData(a.at(0), 8, desc, context, into.base(), into.key(), 1));
                }
                assertThat(Patience.get(taken)).isEqualTo(1);
                assertThat(done.get(round).kind())
                    .isEqualTo(round % 4 < 2 ? OperationKind.RECEIVE : OperationKind.REMOTE_WRITE);
                waiting[0] = null;
                if (round % 4 >= 2) {
                    // The receive of this round is still there: it is used up.
                    a.succeeds(() -> a.ep.send(a.at(0), 8, desc, 1));
                    assertThat(await(end.cq, new ArrayList<>())).isEqualTo(1);
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"UNSPEC", "FD", "YIELD"})
    void signalEndsOneWait(final WaitObject way) throws Exception {
        final CompletionQueue cq = queue(way);
        cq.signal();
        cq.signal();
        assertThat(await(cq, null)).as("the next").isEqualTo(-FiErrno.FI_EAGAIN);
        final Thread[] waiting = new Thread[1];
        final Future<Integer> taken = threads.submit(() -> {
            waiting[0] = Thread.currentThread();
            return cq.awaitRead(new UnsafeBuffer(new byte[40]), 0, 1, LONG);
        });
        while (waiting[0] == null) {
            Patience.pause();
        }
        if (way != WaitObject.YIELD) {
            untilItSleeps(waiting[0]);
        }
        cq.signal();
        assertThat(Patience.get(taken)).isEqualTo(-FiErrno.FI_EAGAIN);
        cq.close();
    }

    private CompletionQueue queue(final WaitObject way) {
        return sides.open().domain.openCompletionQueue(new CqAttributes().waitObject(way));
    }

    @ParameterizedTest
    @EnumSource(names = {"UNSPEC", "FD", "YIELD"})
    void closingAndInterruptsEndAWait(final WaitObject way) throws Exception {
        for (int round = 0; round < 10; round++) {
            final CompletionQueue cq = queue(way);
            final boolean interrupt = round % 2 == 0;
            final Thread[] waiting = new Thread[1];
            final Future<Integer> taken = threads.submit(() -> {
                waiting[0] = Thread.currentThread();
                final int code = await(cq, null);
                assertThat(Thread.interrupted()).isEqualTo(interrupt);
                return code;
            });
            while (waiting[0] == null) {
                Patience.pause();
            }
            if (interrupt) {
                waiting[0].interrupt();
                assertThat(Patience.get(taken)).isEqualTo(-FiErrno.FI_EAGAIN);
                cq.close();
            } else {
                cq.close();
                assertThat(Patience.get(taken)).isEqualTo(-FiErrno.FI_EBADFD);
            }
        }
    }

    /** A device that is gone does not let anybody wait for ever. */
    @Test
    void closedDeviceEndsAWait() throws Exception {
        final Side a = sides.open();
        final Future<Integer> taken = threads.submit(() -> await(a.cq, null));
        a.context.close();
        assertThat(Patience.get(taken)).isNegative();
        assertThat(a.cq.read(null, 0)).isNegative();
    }

    private static boolean isReadable(final int fd, final int millis) {
        // struct pollfd: int fd, short events (POLLIN 1), short revents.
        final ByteBuffer poll = ByteBuffer.allocateDirect(8).order(ByteOrder.nativeOrder());
        poll.putInt(0, fd).putShort(4, (short) 1);
        final int found = Function.getFunction("c", "poll").invokeInt(new Object[] {poll, 1, millis});
        assertThat(found).as("errno %d", Native.getLastError()).isNotNegative();
        return found == 1;
    }

    @Test
    void descriptorIsReadableWhenThereIsSomething() {
        final Side a = sides.open();
        try (End end = new End(WaitObject.FD, a)) {
            final MemoryRegion into = end.side.register(1);
            final MemoryRegion desc = a.local();
            final List<Done> done = new ArrayList<>();
            for (int round = 0; round < 20; round++) {
                final int data = round;
                assertThat(end.ep.receive(end.side.at(0), 64, into, round)).isZero();
                awaitQuiet(end.cq, done);
                if (round % 2 == 0) {
                    a.succeeds(() -> a.ep.send(a.at(0), 8, desc, 1));
                } else {
                    a.succeeds(() -> a.ep.writeWithData(a.at(0), 8, desc, data, into.base(), into.key(), 1));
                }
                assertThat(isReadable(end.cq.fd(), 60_000)).isTrue();
                assertThat(end.cq.tryWait()).isEqualTo(-FiErrno.FI_EAGAIN);
                done.clear();
                assertThat(end.cq.read(entry -> done.add(Done.of(entry)), 16)).isEqualTo(1);
                if (round % 2 == 1) {
                    a.succeeds(() -> a.ep.send(a.at(0), 8, desc, 1));
                    assertThat(await(end.cq, done)).isEqualTo(1);
                }
            }
            awaitQuiet(end.cq, done);
            end.cq.signal();
            assertThat(isReadable(end.cq.fd(), 60_000)).isTrue();
            assertThat(end.cq.tryWait()).as("a signal ends one wait").isEqualTo(-FiErrno.FI_EAGAIN);
            awaitQuiet(end.cq, done);
        }
    }

    /** Until it can be waited for: an event of the device that was asked for earlier may still come in between. */
    private static void awaitQuiet(final CompletionQueue queue, final List<Done> done) {
        Await.until("the queue is quiet", () -> {
            while (queue.tryWait() == -FiErrno.FI_EAGAIN) {
                queue.read(entry -> done.add(Done.of(entry)), 16);
            }
            return !isReadable(queue.fd(), 0);
        });
    }

    /** One thread for all queues of a device, which ends with the last of them. */
    @Test
    void oneThreadForEachDeviceWakesUp() throws Exception {
        final Side a = sides.open(new Hints());
        final String name = "rdma4j-completions-" + a.context.address();
        assertThat(threadsOf(name)).isEmpty();
        final List<CompletionQueue> queues = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            queues.add(a.domain.openCompletionQueue(new CqAttributes()));
            awaitSleep(queues.get(i), name);
        }
        final List<Thread> all = threadsOf(name);
        assertThat(all).hasSize(1);
        assertThat(all.get(0).isDaemon()).isTrue();
        queues.forEach(CompletionQueue::close);
        a.ep.close();
        a.cq.close();
        Patience.join(all.get(0));
        // Once more, after that.
        final CompletionQueue again = a.domain.openCompletionQueue(new CqAttributes());
        awaitSleep(again, name);
        assertThat(threadsOf(name)).hasSize(1);
        again.close();
    }

    /** Waits until somebody listens: where a processor comes late the time of a wait is over before it sleeps. */
    private static void awaitSleep(final CompletionQueue queue, final String name) {
        Await.until("somebody listens", () -> {
            assertThat(queue.awaitRead(entry -> { }, 1, Duration.ofMillis(2))).isEqualTo(-FiErrno.FI_EAGAIN);
            return !threadsOf(name).isEmpty();
        });
    }

    private static List<Thread> threadsOf(final String name) {
        final List<Thread> found = new ArrayList<>();
        for (final Thread thread : Thread.getAllStackTraces().keySet()) {
            if (thread.getName().equals(name)) {
                found.add(thread);
            }
        }
        return found;
    }
}
