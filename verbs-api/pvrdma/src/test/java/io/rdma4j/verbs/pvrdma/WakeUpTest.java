/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.testing.Patience;
import io.rdma4j.testing.TestBudget;
import io.rdma4j.verbs.CompletionChannel;
import io.rdma4j.verbs.CompletionHandler;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.CompletionWaiter;
import io.rdma4j.verbs.QpOptions;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * No wake-up is lost, however a completion falls between asking for the event, polling once more and going to sleep,
 * and whoever listens to the device at that moment. There is never more than one message under way to a queue, so that
 * a wake-up that is lost is not made good by the next message: its wait ends at a deadline that must not be reached.
 */
class WakeUpTest {
    private static final Duration LONG = Patience.duration();
    /** On a busy machine each message takes long: then there are fewer. */
    private static final Duration SEARCH = TestBudget.time(Duration.ofSeconds(2), Duration.ofSeconds(35));
    private static final int SHORT_DELAY = 400;
    private static final int LONG_DELAY = 8_000;

    @RegisterExtension
    final Devices devices = new Devices();
    @RegisterExtension
    final Crew crew = new Crew();

    private final List<Receiver> receivers = new ArrayList<>();
    private int rounds;

    /** A CQ with the messages that come into it. */
    private static final class Receiver implements CompletionHandler {
        final Peer from;
        final Peer to;
        final AtomicLong received = new AtomicLong();
        /** How many messages there will be. */
        volatile long goal;
        long sent;

        Receiver(final Peer from, final Peer to) {
            this.from = from;
            this.to = to;
            from.connect(to);
            for (int i = 0; i < 2; i++) {
                assertThat(to.qp.postReceive(1, to.at(0), 8, to.lkey())).isZero();
            }
        }

        void send() {
            while (from.cq.poll(c -> { }, 16) > 0) {
                Thread.onSpinWait();
            }
            assertThat(from.qp.postSend(1, from.at(0), 8, from.lkey())).isZero();
            sent++;
        }

        @Override
        public void onCompletion(final io.rdma4j.verbs.Completion completion) {
            assertThat(to.qp.postReceive(1, to.at(0), 8, to.lkey())).isZero();
            received.lazySet(received.get() + 1);
        }

        void armAndPoll() {
            assertThat(to.cq.requestNotify(false)).isZero();
            while (to.cq.poll(this, 16) > 0) {
                Thread.onSpinWait();
            }
        }
    }

    private Receiver receiver(final PvrdmaContext device, final CompletionChannel channel) {
        final CompletionQueue cq = channel == null ? device.createCq(512) : device.createCq(512, channel);
        final Receiver receiver =
            new Receiver(Peer.rc(devices.open()), new Peer(device, device.allocatePd(), cq, new QpOptions()));
        receiver.goal = rounds;
        receivers.add(receiver);
        return receiver;
    }

    private Receiver find(final CompletionQueue cq) {
        return receivers.stream().filter(receiver -> receiver.to.cq == cq).findAny().orElseThrow();
    }

    /** The races are searched for; a wake-up that is lost always is so with few, too. */
    private static int rounds(final int all) {
        return TestBudget.rounds(all / 12, all);
    }

    private boolean isDone(final List<Receiver> some) {
        return some.stream().allMatch(receiver -> receiver.received.get() == receiver.goal);
    }

    /** The sender: to a random queue that has taken its last message, after a random time. */
    private void send() {
        final Random random = new Random(rounds + receivers.size());
        final List<Receiver> left = new ArrayList<>(receivers);
        final long end = System.nanoTime() + SEARCH.toNanos();
        while (!left.isEmpty() && !crew.hasFailed()) {
            final Receiver receiver = left.get(random.nextInt(left.size()));
            if (receiver.sent == receiver.received.get()) {
                if (System.nanoTime() - end >= 0) {
                    // One more, so that who sleeps sees that it is the last.
                    receiver.goal = receiver.sent + 1;
                }
                for (int i = random.nextInt(random.nextInt(8) == 0 ? LONG_DELAY : SHORT_DELAY); i > 0; i--) {
                    Thread.onSpinWait();
                }
                receiver.send();
                left.removeIf(one -> one.sent == one.goal);
            } else {
                // On a busy machine the receiver may be without a processor.
                Thread.yield();
            }
        }
    }

    /** The loop of an application that waits on a channel. */
    private void receive(final CompletionChannel channel, final Receiver... mine) {
        final List<Receiver> some = List.of(mine);
        some.forEach(Receiver::armAndPoll);
        while (!isDone(some)) {
            final long start = System.nanoTime();
            final CompletionQueue cq = channel.await(LONG);
            assertThat(cq).as("queue with an event after %s", counts()).isNotNull();
            assertWoken(start);
            find(cq).armAndPoll();
        }
    }

    /** The same with waits that are too short most of the time: it leaves while others wait. */
    private void receiveImpatiently(final CompletionChannel channel, final Receiver... mine) {
        final Random random = new Random(rounds);
        final List<Receiver> some = List.of(mine);
        some.forEach(Receiver::armAndPoll);
        long seenAt = System.nanoTime();
        while (!isDone(some)) {
            final CompletionQueue cq = channel.await(Duration.ofNanos(random.nextInt(100_000)));
            if (cq != null) {
                find(cq).armAndPoll();
                seenAt = System.nanoTime();
            }
            assertThat(System.nanoTime() - seenAt).as("since the last event, after %s", counts())
                .isLessThan(LONG.toNanos());
        }
    }

    private void receive(final Receiver one) {
        while (!isDone(List.of(one))) {
            one.armAndPoll();
            if (!isDone(List.of(one))) {
                final long start = System.nanoTime();
                assertThat(one.to.cq.awaitEvent(LONG)).as("event after %s", counts()).isTrue();
                assertWoken(start);
            }
        }
    }

    /** Who wakes up at the deadline looks once more, and finds what nobody woke him up for. */
    private void assertWoken(final long start) {
        assertThat(System.nanoTime() - start).as("nanoseconds slept, after %s", counts()).isLessThan(LONG.toNanos());
    }

    private String counts() {
        final StringBuilder text = new StringBuilder();
        receivers.forEach(one -> text.append(one.to.cq).append(": ").append(one.received).append(" of ")
            .append(one.sent).append("; "));
        return text.toString();
    }

    @ParameterizedTest
    @CsvSource({"'', 20000", "vectors=1, 10000", "vectors=0, 4000", Devices.QEMU + ", 20000"})
    void oneQueue(final String options, final int count) throws InterruptedException {
        rounds = rounds(count);
        final PvrdmaContext device = devices.open(options);
        final CompletionChannel channel = device.createChannel();
        final Receiver one = receiver(device, channel);
        crew.start(() -> receive(channel, one));
        send();
        crew.join();
    }

    @ParameterizedTest
    @CsvSource({"'', 8000", "vectors=0, 4000", Devices.QEMU + ", 8000"})
    void severalQueuesOnOneChannel(final String options, final int count) throws InterruptedException {
        rounds = rounds(count);
        final PvrdmaContext device = devices.open(options);
        final CompletionChannel channel = device.createChannel();
        final Receiver first = receiver(device, channel);
        final Receiver second = receiver(device, channel);
        final Receiver third = receiver(device, channel);
        crew.start(() -> receive(channel, first, second, third));
        send();
        crew.join();
    }

    @ParameterizedTest
    @CsvSource({"'', 10000", "vectors=0, 3000", Devices.QEMU + ", 10000"})
    void twoChannelsAndAQueueWithoutOne(final String options, final int count) throws InterruptedException {
        rounds = rounds(count);
        final PvrdmaContext device = devices.open(options);
        final CompletionChannel patient = device.createChannel();
        final CompletionChannel impatient = device.createChannel();
        final Receiver first = receiver(device, patient);
        final Receiver second = receiver(device, impatient);
        final Receiver third = receiver(device, null);
        crew.start(() -> receive(patient, first));
        crew.start(() -> receiveImpatiently(impatient, second));
        crew.start(() -> receive(third));
        send();
        crew.join();
    }

    /** Nothing ever comes to this thread, but it takes the lead again and again and leaves with it. */
    @ParameterizedTest
    @CsvSource({"'', 10000", Devices.QEMU + ", 10000"})
    void aQueueBesideAThreadThatComesAndGoes(final String options, final int count) throws InterruptedException {
        rounds = rounds(count);
        final PvrdmaContext device = devices.open(options);
        final CompletionChannel channel = device.createChannel();
        final CompletionChannel idle = device.createChannel();
        final AtomicBoolean stop = new AtomicBoolean();
        final Receiver one = receiver(device, channel);
        final Thread receiving = crew.start(() -> receive(channel, one));
        crew.start(() -> {
            final Random random = new Random(count);
            while (!stop.get()) {
                assertThat(idle.await(Duration.ofNanos(random.nextInt(50_000)))).isNull();
            }
        });
        crew.start(() -> {
            while (!stop.get()) {
                idle.wakeUp();
                TimeUnit.MICROSECONDS.sleep(200);
            }
        });
        send();
        receiving.join(LONG.toMillis() * 2);
        stop.set(true);
        crew.join();
    }

    @ParameterizedTest
    @CsvSource({"'', 0", "'', 50", "vectors=0, 0", Devices.QEMU + ", 0", Devices.QEMU + ", 50"})
    void aBlockingWaiter(final String options, final int spins) throws InterruptedException {
        rounds = rounds(options.equals("vectors=0") ? 2_000 : 6_000);
        final PvrdmaContext device = devices.open(options);
        final CompletionChannel channel = device.createChannel();
        final Receiver first = receiver(device, channel);
        final Receiver second = receiver(device, channel);
        final Receiver alone = receiver(device, null);
        final CompletionHandler either = c -> (c.queuePair() == first.to.qp ? first : second).onCompletion(c);
        crew.start(() -> {
            final CompletionWaiter waiter = CompletionWaiter.blocking(first.to.cq, second.to.cq).spins(spins);
            while (!isDone(List.of(first, second))) {
                final long start = System.nanoTime();
                assertThat(waiter.await(either, 16, LONG)).as("after %s", counts()).isPositive();
                assertWoken(start);
            }
        });
        crew.start(() -> {
            final CompletionWaiter waiter = CompletionWaiter.blocking(alone.to.cq).spins(spins);
            while (!isDone(List.of(alone))) {
                final long start = System.nanoTime();
                assertThat(waiter.await(alone, 16, LONG)).as("after %s", counts()).isPositive();
                assertWoken(start);
            }
        });
        send();
        crew.join();
    }
}
