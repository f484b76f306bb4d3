/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import static io.rdma4j.verbs.pvrdma.Refusals.assertClosed;
import static io.rdma4j.verbs.pvrdma.Refusals.assertInvalid;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.hw.pvrdma.Bar1;
import io.rdma4j.testing.Patience;
import io.rdma4j.verbs.QpConnector;
import io.rdma4j.verbs.QpOptions;
import io.rdma4j.verbs.ReturnCode;
import io.rdma4j.verbs.SendRequest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;

class NotificationTest {
    private static final Duration LONG = Patience.duration();
    private static final Duration SHORT = Duration.ofMillis(30);

    @RegisterExtension
    final Devices devices = new Devices();

    @ParameterizedTest
    @ValueSource(strings = {"", "vectors=1", "vectors=0", Devices.QEMU})
    void tellsOfACompletionOnceItWasAskedTo(final String options) {
        final Peer a = Peer.rc(devices.open());
        final Peer b = Peer.rc(devices.open(options));
        a.connect(b);
        b.qp.postReceive(1, b.at(0), 8, b.lkey());
        assertThat(b.cq.requestNotify(false)).isZero();
        assertThat(b.cq.awaitEvent(SHORT)).as("nothing came").isFalse();

        a.qp.postSend(1, a.at(0), 8, a.lkey());
        assertThat(b.cq.awaitEvent(LONG)).isTrue();
        assertThat(Completions.awaitSuccess(b.cq).wrId()).isEqualTo(1);
        assertInterrupts(b, options, 1);
        if (!options.equals(Devices.QEMU)) {
            assertThat(b.cq.awaitEvent(SHORT)).as("one event for one request").isFalse();
        }
    }

    /**
     * Events are found without an interrupt too, only later: that it came is to be seen from the vector alone. It may
     * come just after its event.
     */
    private static void assertInterrupts(final Peer peer, final String options, final int events) {
        if (!options.startsWith("vectors=")) {
            final var vector = Devices.emulated((PvrdmaContext) peer.context).interrupts()
                .vector(Bar1.PVRDMA_INTR_VECTOR_CQ);
            final long deadline = System.nanoTime() + LONG.toNanos();
            while (vector.fired() < events && System.nanoTime() < deadline) {
                Patience.pause();
            }
            assertThat(vector.fired()).as("interrupts for %d events", events).isGreaterThanOrEqualTo(events);
        }
    }

    @Test
    void tellsOfSolicitedCompletionsOnly() {
        final Peer a = Peer.rc(devices.open());
        final Peer b = Peer.rc(devices.open());
        a.connect(b);
        b.qp.postReceive(1, b.at(0), 8, b.lkey());
        b.qp.postReceive(2, b.at(0), 8, b.lkey());
        b.cq.requestNotify(true);
        a.qp.postSend(1, a.at(0), 8, a.lkey());
        assertThat(b.cq.awaitEvent(SHORT)).isFalse();
        a.qp.postSend(new SendRequest().flags(SendRequest.SIGNALED | SendRequest.SOLICITED).sge(a.at(0), 8, a.lkey()));
        assertThat(b.cq.awaitEvent(LONG)).isTrue();
        Completions.await(b.cq, 2);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "vectors=1", Devices.QEMU})
    void losesNoWakeUp(final String options) throws InterruptedException {
        final int messages = 2_000;
        final Peer a = Peer.rc(devices.open());
        final Peer b = Peer.rc(devices.open(options));
        a.connect(b);
        for (int i = 0; i < 64; i++) {
            b.qp.postReceive(i, b.at(0), 8, b.lkey());
        }
        final AtomicReference<Throwable> failure = new AtomicReference<>();
        final Thread sender = new Thread(() -> {
            int completed = 0;
            for (int i = 0; i < messages; i++) {
                while (a.qp.postSend(i, a.at(0), 8, a.lkey()) == ReturnCode.QUEUE_FULL) {
                    completed += a.cq.poll(c -> { }, 64);
                }
                for (int spin = i % 7 * 300; spin > 0; spin--) {
                    Thread.onSpinWait();
                }
            }
            // The emulated device tries again what found no receive when somebody looks at it.
            final long end = System.nanoTime() + Patience.nanos();
            while (completed < messages && System.nanoTime() < end) {
                completed += a.cq.poll(c -> { }, 64);
            }
        });
        sender.setUncaughtExceptionHandler((thread, e) -> failure.set(e));
        sender.start();
        int received = 0;
        int events = 0;
        boolean slept = false;
        final long deadline = System.nanoTime() + Patience.nanos();
        while (received < messages && System.nanoTime() < deadline) {
            b.cq.requestNotify(false);
            final int n = b.cq.poll(c -> assertThat(b.qp.postReceive(1, b.at(0), 8, b.lkey())).isZero(), 64);
            received += n;
            // QEMU notifies of what nobody asked for, so an event may be spurious. But what came since the last look
            // came to an armed queue.
            events += slept && n > 0 ? 1 : 0;
            slept = n == 0;
            if (n == 0 && received < messages) {
                assertThat(b.cq.awaitEvent(LONG)).as("an event after %d messages", received).isTrue();
            }
        }
        assertInterrupts(b, options, events);
        Patience.join(sender);
        assertThat(failure).hasValue(null);
        assertThat(received).isEqualTo(messages);
    }

    /** The ring of notices has 1024 different slots, and looks empty after twice as many notices. */
    @ParameterizedTest
    @CsvSource({"'', 700", "'', 1100", "'', 2047", "'', 2048", "vectors=0, 2047", "vectors=0, 2048"})
    void forgetsNoQueueWhileNobodyListens(final String options, final int notices) {
        final PvrdmaContext device = devices.open(options);
        final Peer quiet = Peer.rc(device);
        final Peer busy = Peer.rc(device);
        final Peer toQuiet = Peer.rc(devices.open());
        final Peer toBusy = Peer.rc(devices.open());
        toQuiet.connect(quiet);
        toBusy.connect(busy);
        sendArmed(toQuiet, quiet);
        for (int i = 0; i < notices; i++) {
            sendArmed(toBusy, busy);
            Completions.awaitSuccess(busy.cq);
        }

        assertThat(quiet.cq.awaitEvent(LONG)).isTrue();
        assertThat(busy.cq.awaitEvent(LONG)).isTrue();
        Completions.awaitSuccess(quiet.cq);

        sendArmed(toQuiet, quiet);
        assertThat(quiet.cq.awaitEvent(LONG)).isTrue();
        assertThat(busy.cq.awaitEvent(SHORT)).as("not asked for").isFalse();
    }

    private static void sendArmed(final Peer from, final Peer to) {
        assertThat(to.cq.requestNotify(false)).isZero();
        assertThat(to.qp.postReceive(1, to.at(0), 8, to.lkey())).isZero();
        assertThat(from.qp.postSend(1, from.at(0), 8, from.lkey())).isZero();
        Completions.awaitSuccess(from.cq);
    }

    @Test
    void servesManyWaitingThreads() throws InterruptedException {
        final PvrdmaContext device = devices.open();
        final Peer a = Peer.rc(devices.open());
        final List<Throwable> failures = Collections.synchronizedList(new ArrayList<>());
        final List<Thread> threads = new ArrayList<>();
        final List<Peer> peers = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            final Peer b = Peer.rc(device);
            peers.add(b);
            final var toB = a.pd.createQp(new QpOptions().cq(a.cq).maxSendWr(8).maxReceiveWr(8));
            QpConnector.connect(toB, b.qp.localAddress());
            QpConnector.connect(b.qp, toB.localAddress());
            b.qp.postReceive(i, b.at(0), 8, b.lkey());
            b.cq.requestNotify(false);
            final int number = i;
            final Thread thread = new Thread(() -> {
                assertThat(b.cq.awaitEvent(LONG)).as("event for %d", number).isTrue();
                assertThat(Completions.awaitSuccess(b.cq).wrId()).isEqualTo(number);
                toB.postReceive(number, a.at(0), 8, a.lkey());
            });
            thread.setUncaughtExceptionHandler((dead, e) -> failures.add(e));
            threads.add(thread);
            thread.start();
            Thread.sleep(5);
            assertThat(toB.postSend(i, a.at(0), 8, a.lkey())).isZero();
        }
        for (final Thread thread : threads) {
            Patience.join(thread);
        }
        assertThat(failures).isEmpty();
    }

    @Test
    void endsAWaitWhenTheQueueIsClosed() throws InterruptedException {
        final PvrdmaContext device = devices.open();
        final var cq = device.createCq(4);
        cq.requestNotify(false);
        final Thread closer = new Thread(cq::close);
        closer.start();
        assertClosed(() -> {
            while (cq.awaitEvent(LONG)) {
                Thread.onSpinWait();
            }
        }, "closed");
        Patience.join(closer);
    }

    @Test
    void endsAWaitWhenTheThreadIsInterrupted() {
        final var cq = devices.open().createCq(4);
        cq.requestNotify(false);
        Thread.currentThread().interrupt();
        final long start = System.nanoTime();
        assertThat(cq.awaitEvent(LONG.multipliedBy(2))).isFalse();
        assertThat(Thread.interrupted()).isTrue();
        assertThat(System.nanoTime() - start).isLessThan(LONG.toNanos());
    }

    @Test
    void takesAnyTimeout() {
        final Peer a = Peer.rc(devices.open());
        final Peer b = Peer.rc(devices.open());
        a.connect(b);
        b.qp.postReceive(1, b.at(0), 8, b.lkey());
        b.cq.requestNotify(false);
        assertThat(b.cq.awaitEvent(Duration.ZERO)).isFalse();
        assertThat(b.cq.awaitEvent(Duration.ofSeconds(-1))).isFalse();
        a.qp.postSend(1, a.at(0), 8, a.lkey());
        Completions.awaitSuccess(b.cq);
        assertThat(b.cq.awaitEvent(Duration.ZERO)).as("it is there already").isTrue();
        b.cq.requestNotify(false);
        b.qp.postReceive(1, b.at(0), 8, b.lkey());
        a.qp.postSend(1, a.at(0), 8, a.lkey());
        assertThat(b.cq.awaitEvent(Duration.ofSeconds(Long.MAX_VALUE))).isTrue();
        assertInvalid(() -> b.cq.awaitEvent(null), "null");
    }
}
