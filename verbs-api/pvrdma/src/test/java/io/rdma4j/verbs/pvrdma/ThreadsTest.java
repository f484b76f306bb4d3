/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.testing.Patience;
import io.rdma4j.testing.TestBudget;
import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.QpConnector;
import io.rdma4j.verbs.QpOptions;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.ReturnCode;
import io.rdma4j.verbs.WcOpcode;
import io.rdma4j.verbs.WcStatus;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntSupplier;

class ThreadsTest {
    /** On a busy machine each of them waits for the other thread's turn twice. */
    private static final int ROUNDS = TestBudget.rounds(500, 2_000);

    @RegisterExtension
    final Devices devices = new Devices();

    private final List<Throwable> failures = Collections.synchronizedList(new ArrayList<>());
    private final List<Thread> threads = new ArrayList<>();
    private final AtomicBoolean stop = new AtomicBoolean();

    private void start(final Runnable body) {
        final Thread thread = new Thread(body);
        thread.setUncaughtExceptionHandler((dead, e) -> failures.add(e));
        threads.add(thread);
        thread.start();
    }

    @AfterEach
    void join() throws InterruptedException {
        stop.set(true);
        for (final Thread thread : threads) {
            Patience.join(thread);
        }
        assertThat(failures).isEmpty();
    }

    private static void bounce(final Peer me, final int rounds, final boolean first) {
        final long deadline = System.nanoTime() + Patience.nanos();
        final int[] seen = new int[2];
        if (first) {
            assertThat(me.qp.postSend(0, me.at(0), 8, me.lkey())).isZero();
        }
        while (seen[0] < rounds && System.nanoTime() < deadline) {
            final int polled = me.cq.poll(c -> {
                assertThat(c.status()).isEqualTo(WcStatus.SUCCESS);
                if (c.opcode() == WcOpcode.RECV) {
                    seen[0]++;
                    assertThat(me.bytes.getLong(64)).isEqualTo(first ? seen[0] * 2L - 1 : seen[0] * 2L - 2);
                    me.qp.postReceive(1, me.at(64), 8, me.lkey());
                    me.bytes.putLong(0, me.bytes.getLong(64) + 1);
                    if (!first || seen[0] < rounds) {
                        assertThat(me.qp.postSend(0, me.at(0), 8, me.lkey())).isZero();
                    }
                }
            }, 16);
            letOthersRun(polled);
        }
        assertThat(seen[0]).isEqualTo(rounds);
    }

    @Test
    void twoThreadsPlayPingPong() throws InterruptedException {
        final Peer a = Peer.rc(devices.open());
        final Peer b = Peer.rc(devices.open());
        a.connect(b);
        for (int i = 0; i < 8; i++) {
            a.qp.postReceive(1, a.at(64), 8, a.lkey());
            b.qp.postReceive(1, b.at(64), 8, b.lkey());
        }
        start(() -> bounce(a, ROUNDS, true));
        start(() -> bounce(b, ROUNDS, false));
        join();
    }

    /** Both queues are full all the time: a completion that is seen before its slot is free shows as QUEUE_FULL. */
    @Test
    void postAgainAtOnceIntoAFullQueue() throws InterruptedException {
        final Peer a = new Peer(devices.open(), new QpOptions().maxSendWr(2).maxReceiveWr(2));
        final Peer b = new Peer(devices.open(), new QpOptions().maxSendWr(2).maxReceiveWr(2));
        a.connect(b);
        final int rounds = 2 * ROUNDS;
        start(() -> repostWhatCompletes(b, rounds, () -> b.qp.postReceive(1, b.at(0), 8, b.lkey())));
        start(() -> repostWhatCompletes(a, rounds, () -> a.qp.postSend(1, a.at(0), 8, a.lkey())));
        join();
    }

    private static void repostWhatCompletes(final Peer me, final int rounds, final IntSupplier post) {
        final long deadline = System.nanoTime() + Patience.nanos();
        final int[] seen = new int[1];
        assertThat(post.getAsInt()).isZero();
        assertThat(post.getAsInt()).isZero();
        while (seen[0] < rounds && System.nanoTime() < deadline) {
            final int polled = me.cq.poll(c -> {
                assertThat(c.status()).isEqualTo(WcStatus.SUCCESS);
                assertThat(post.getAsInt()).as("after %d completions", seen[0]++).isEqualTo(ReturnCode.OK);
            }, 1);
            letOthersRun(polled);
        }
        assertThat(seen[0]).isGreaterThanOrEqualTo(rounds);
    }

    /** On a busy machine the other end may be without a processor. */
    private static void letOthersRun(final int polled) {
        if (polled == 0) {
            Patience.pause();
        }
    }

    @Test
    void surviveAQpThatIsClosedWhileTheyPostAndPoll() {
        final PvrdmaContext device = devices.open();
        final Peer far = Peer.rc(devices.open());
        final Peer a = Peer.rc(device);
        final QueuePair[] current = {a.qp};
        final AtomicInteger closed = new AtomicInteger();
        start(() -> {
            while (!stop.get()) {
                final QueuePair qp = current[0];
                final int code = qp.postSend(1, a.at(0), 8, a.lkey());
                assertThat(code).isIn(ReturnCode.OK, ReturnCode.QUEUE_FULL, ReturnCode.CLOSED, ReturnCode.WRONG_STATE);
                qp.postReceive(1, a.at(0), 8, a.lkey());
                closed.addAndGet(code == ReturnCode.CLOSED ? 1 : 0);
            }
        });
        start(() -> {
            while (!stop.get()) {
                assertThat(a.cq.poll(c -> assertThat(c.queuePair()).isNotNull(), 16)).isNotNegative();
            }
        });
        for (int i = 0; i < TestBudget.rounds(100, 300); i++) {
            final QueuePair next = a.pd.createQp(new QpOptions().cq(a.cq).reserveCq(false));
            QpConnector.connect(next, far.qp.localAddress());
            final QueuePair old = current[0];
            current[0] = next;
            old.close();
        }
        current[0].close();
        final long deadline = System.nanoTime() + Patience.nanos();
        while (closed.get() == 0 && failures.isEmpty()) {
            assertThat(System.nanoTime()).as("a post after closing").isLessThan(deadline);
            Patience.pause();
        }
        assertThat(device.isFailed()).as(device.failure()).isFalse();
    }

    @Test
    void surviveADeviceThatIsClosedUnderThem() {
        for (int round = 0; round < 10; round++) {
            final PvrdmaContext device = devices.open();
            final Peer a = Peer.rc(device);
            final Peer b = Peer.rc(device);
            a.connect(b);
            final AtomicInteger ended = new AtomicInteger();
            final int[] codes = new int[2];
            start(() -> {
                while ((codes[0] = a.qp.postSend(1, a.at(0), 8, a.lkey())) != ReturnCode.CLOSED) {
                    a.cq.poll(c -> { }, 16);
                }
                ended.incrementAndGet();
            });
            start(() -> {
                while ((codes[1] = b.qp.postReceive(1, b.at(0), 8, b.lkey())) != ReturnCode.CLOSED) {
                    b.cq.poll(c -> { }, 16);
                }
                ended.incrementAndGet();
            });
            LockSupport.parkNanos(2_000_000);
            device.close();
            final long deadline = System.nanoTime() + Patience.nanos();
            while (ended.get() < 2 && failures.isEmpty()) {
                assertThat(System.nanoTime()).as("codes %d, %d", codes[0], codes[1]).isLessThan(deadline);
                Patience.pause();
            }
        }
    }

    @Test
    void surviveARegionThatIsClosedUnderTraffic() {
        final Peer a = Peer.rc(devices.open());
        final Peer b = Peer.rc(devices.open());
        for (int round = 0; round < 20; round++) {
            final var region = a.pd.register(a.memory, AccessFlag.LOCAL_WRITE);
            final QueuePair send = a.pd.createQp(new QpOptions().cq(a.cq).reserveCq(false));
            final QueuePair receive = b.pd.createQp(new QpOptions().cq(b.cq).reserveCq(false));
            QpConnector.connect(send, receive.localAddress());
            QpConnector.connect(receive, send.localAddress());
            for (int i = 0; i < 64; i++) {
                receive.postReceive(i, b.at(0), 64, b.lkey());
            }
            start(region::close);
            int completed = 0;
            int posted = 0;
            while (posted < 64) {
                assertThat(send.postSend(posted, a.at(0), 64, region.lkey())).isZero();
                posted++;
            }
            final long deadline = System.nanoTime() + Patience.nanos();
            while (completed < posted) {
                assertThat(System.nanoTime()).as("%d of %d", completed, posted).isLessThan(deadline);
                completed += a.cq.poll(c -> assertThat(c.status()).isIn(WcStatus.SUCCESS, WcStatus.LOC_PROT_ERR,
                    WcStatus.WR_FLUSH_ERR), 64);
                b.cq.poll(c -> { }, 64);
            }
            send.close();
            receive.close();
        }
    }
}
