/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.conformance;

import static io.rdma4j.RdmaException.EBADFD;
import static io.rdma4j.RdmaException.EBUSY;
import static io.rdma4j.RdmaException.EINVAL;

import io.rdma4j.verbs.CompletionChannel;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.CompletionWaiter;
import io.rdma4j.verbs.Feature;
import io.rdma4j.verbs.QpConnector;
import io.rdma4j.verbs.QpOptions;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.ReturnCode;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.WcOpcode;
import io.rdma4j.verbs.WcStatus;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;

/** Completion channels, and the ways to wait for completions. Receivers are on the device under test. */
final class ChannelCases {
    private static final Duration EVENT = Duration.ofSeconds(5);
    private static final Duration SILENCE = Duration.ofMillis(60);
    private static final int DEPTH = 8;
    private static final int ROUNDS = 5;

    private ChannelCases() {
    }

    static List<ConformanceCase> cases() {
        return List.of(
            ConformanceCase.of("channel.namesTheQueueThatHasAnEvent", ChannelCases::namesTheQueue),
            ConformanceCase.of("channel.keepsOneEventPerQueue", ChannelCases::keepsOnePerQueue),
            ConformanceCase.of("channel.dropsTheEventOfAClosedQueue", ChannelCases::dropsClosed),
            ConformanceCase.of("channel.staysWhileQueuesUseIt", ChannelCases::staysWhileUsed),
            ConformanceCase.of("channel.refusesMisuse", ChannelCases::refusesMisuse),
            ConformanceCase.of("channel.waitEndsAtItsDeadline", ChannelCases::waitEnds),
            ConformanceCase.of("channel.wakesAThreadForEachQueue", ChannelCases::wakesForEachQueue)
                .within(Duration.ofSeconds(40)),
            ConformanceCase.of("channel.twoDoNotDisturbEachOther", ChannelCases::twoChannels)
                .within(Duration.ofSeconds(40)),
            ConformanceCase.of("channel.solicitedOnly", ChannelCases::solicitedOnly).needs(Feature.SOLICITED),
            ConformanceCase.of("wait.everyWayFindsWhatComes", ChannelCases::everyWay)
                .within(Duration.ofSeconds(40)));
    }

    /** A connection whose receiving end completes into a queue of a channel. */
    private static final class Line {
        final CompletionQueue cq;
        final Completions received;
        private final ConformanceEnv env;
        private final Node near;
        private final Node far;
        private final QueuePair farQp;
        private final QueuePair nearQp;
        private final Memory from;
        private final Memory to;

        Line(final ConformanceEnv env, final CompletionChannel channel) {
            this.env = env;
            near = Node.near(env, DEPTH);
            far = Node.far(env, DEPTH);
            cq = env.own(env.device().createCq(DEPTH, channel));
            received = new Completions(env, cq);
            nearQp = env.own(near.pd().createQp(new QpOptions().sendCq(near.sendCq()).receiveCq(cq)
                .maxSendWr(DEPTH).maxReceiveWr(DEPTH)));
            farQp = far.rc(DEPTH, 1);
            QpConnector.connect(nearQp, farQp.localAddress());
            QpConnector.connect(farQp, nearQp.localAddress());
            from = far.memory(64);
            to = near.memory(64);
        }

        /** Sends a message to the queue and waits until it is gone. */
        void send(final int wrId) {
            send(wrId, SendRequest.SIGNALED);
        }

        void send(final int wrId, final int flags) {
            postReceive(wrId);
            Check.ok(farQp.postSend(new SendRequest().wrId(wrId).flags(flags).sge(from.at(0), 64, from.lkey())),
                "post send");
            far.sent().next().expect(wrId, WcOpcode.SEND);
            env.moved(64);
        }

        /** Full while the receiving thread has not taken what came before. */
        private void postReceive(final int wrId) {
            final long deadline = System.nanoTime() + env.patience(EVENT).toNanos();
            int code = nearQp.postReceive(wrId, to.at(0), 64, to.lkey());
            while (code == ReturnCode.QUEUE_FULL && System.nanoTime() - deadline < 0) {
                Thread.yield();
                code = nearQp.postReceive(wrId, to.at(0), 64, to.lkey());
            }
            Check.ok(code, "post receive");
        }

        Line arm() {
            Check.ok(cq.requestNotify(false), "arm");
            return this;
        }

        /** The usual order: ask for the next event first, then poll. */
        int takeAll() {
            arm();
            int taken = 0;
            for (final Wc wc : received.available()) {
                Check.equal(WcStatus.SUCCESS, wc.status(), "status of %s", wc);
                taken++;
            }
            return taken;
        }
    }

    private static CompletionChannel channel(final ConformanceEnv env) {
        return env.own(env.device().createChannel());
    }

    /** Devices that say only that some queue has something give the other armed queues an event too. */
    private static CompletionQueue awaitEventOf(
        final ConformanceEnv env, final CompletionChannel channel, final Line wanted, final Line... others) {
        final long deadline = System.nanoTime() + env.patience(EVENT).toNanos();
        while (System.nanoTime() - deadline < 0) {
            final CompletionQueue cq = channel.await(env.patience(EVENT));
            Check.that(cq != null, "no event within %s", env.patience(EVENT));
            env.interrupted();
            if (cq == wanted.cq) {
                return cq;
            }
            final boolean known = List.of(others).stream().anyMatch(line -> line.cq == cq);
            Check.that(known && env.isPeculiar("notify-every-cqe"), "an event of %s, which had none", cq);
        }
        throw new AssertionError("only events of other queues");
    }

    private static void namesTheQueue(final ConformanceEnv env) {
        final CompletionChannel channel = channel(env);
        final Line first = new Line(env, channel).arm();
        final Line second = new Line(env, channel).arm();
        Check.equal(channel, first.cq.channel(), "channel of a queue");
        Check.equal(env.device(), channel.context(), "context of a channel");
        second.send(1);
        awaitEventOf(env, channel, second, first);
        second.received.next().expect(1, WcOpcode.RECV);
        first.arm();
        first.send(2);
        awaitEventOf(env, channel, first, second);
        first.received.next().expect(2, WcOpcode.RECV);
    }

    /** Asked three times and told three times; one event is left of that, unless one was late. */
    private static void keepsOnePerQueue(final ConformanceEnv env) {
        final CompletionChannel channel = channel(env);
        final Line line = new Line(env, channel);
        int events = 0;
        for (int round = 0; round < ROUNDS && events != 1; round++) {
            for (int i = 0; i < 3; i++) {
                line.arm();
                line.send(i);
            }
            line.received.next(3);
            line.received.none(SILENCE, "three messages were sent");
            Check.equal(line.cq, channel.await(env.patience(EVENT)), "queue with an event");
            env.interrupted();
            for (events = 1; channel.await(SILENCE) != null; events++) {
                Check.that(events < 3, "an event that nobody asked for");
            }
        }
        Check.equal(1, events, "events of a queue that was asked for three, each time");
    }

    private static void dropsClosed(final ConformanceEnv env) {
        final CompletionChannel channel = channel(env);
        final Line line = new Line(env, channel).arm();
        line.send(1);
        line.received.next();
        line.nearQp.close();
        line.cq.close();
        Check.equal(null, channel.await(SILENCE), "an event of a closed queue");
        channel.close();
    }

    private static void staysWhileUsed(final ConformanceEnv env) {
        final CompletionChannel channel = channel(env);
        final CompletionQueue cq = env.own(env.device().createCq(4, channel));
        Check.refused(EBUSY, channel::close, "closing a channel in use", cq.toString());
        Check.that(!channel.isClosed(), "it was closed all the same");
        cq.close();
        channel.close();
        channel.close();
        Check.refused(EBADFD, () -> channel.await(SILENCE), "waiting on a closed channel", "closed");
        Check.refused(EBADFD, () -> env.device().createCq(4, channel), "a queue on a closed channel", "closed");
    }

    private static void refusesMisuse(final ConformanceEnv env) {
        final CompletionChannel channel = channel(env);
        Check.refused(EINVAL, () -> env.device().createCq(4, null), "no channel", "null");
        Check.refused(EINVAL, () -> env.device().createCq(0, channel), "no entries", "0");
        Check.refused(EINVAL, () -> channel.await(null), "no timeout", "null");
        if (env.hasTwoDevices()) {
            Check.refused(EINVAL, () -> env.peer().createCq(4, channel), "a foreign channel", "another device");
        }
        final CompletionQueue inside = env.own(env.device().createCq(4, channel));
        final CompletionQueue outside = env.own(env.device().createCq(4));
        Check.refused(EINVAL, () -> CompletionWaiter.blocking(inside, outside), "queues without a common channel",
            "channel");
    }

    private static void waitEnds(final ConformanceEnv env) {
        final CompletionChannel channel = channel(env);
        env.own(env.device().createCq(4, channel)).requestNotify(false);
        for (int i = 0; i < 10 && channel.await(Duration.ofMillis(20)) != null; i++) {
            // What is left of other queues.
        }
        final long start = System.nanoTime();
        Check.equal(null, channel.await(Duration.ofMillis(30)), "an event of a queue that nobody uses");
        final long waited = System.nanoTime() - start;
        Check.that(waited > 25_000_000, "waited %d ns for 30 ms", waited);
        channel.wakeUp();
        Check.equal(null, channel.await(env.patience(EVENT)), "an event from a wake-up");
    }

    /** The loop of an application with several queues; a lost wake-up shows as a deadline that passes. */
    private static FutureTask<Void> receiver(
        final ConformanceEnv env, final CompletionChannel channel, final List<Line> lines, final int messages) {
        lines.forEach(Line::arm);
        final FutureTask<Void> task = new FutureTask<>(() -> {
            int received = 0;
            for (final Line line : lines) {
                received += line.takeAll();
            }
            while (received < messages) {
                final CompletionQueue cq = channel.await(env.patience(EVENT));
                Check.that(cq != null, "no event after %d of %d messages", received, messages);
                env.interrupted();
                received += lines.stream().filter(line -> line.cq == cq).findAny().orElseThrow().takeAll();
            }
            return null;
        });
        final Thread thread = new Thread(task, "receiver");
        thread.setDaemon(true);
        thread.start();
        return task;
    }

    private static void join(final ConformanceEnv env, final FutureTask<Void> task) throws Exception {
        task.get(env.patience(EVENT).toMillis() * 2, TimeUnit.MILLISECONDS);
    }

    private static void wakesForEachQueue(final ConformanceEnv env) throws Exception {
        final CompletionChannel channel = channel(env);
        final List<Line> lines = List.of(new Line(env, channel), new Line(env, channel), new Line(env, channel));
        final int rounds = env.times(60, 500);
        final FutureTask<Void> receiver = receiver(env, channel, lines, rounds);
        for (int i = 0; i < rounds && !receiver.isDone(); i++) {
            lines.get(env.random().nextInt(lines.size())).send(i);
            pause(env);
        }
        join(env, receiver);
    }

    /** Often too short for the other side to fall asleep, so that messages meet it awake, asleep and in between. */
    private static void pause(final ConformanceEnv env) {
        for (int i = env.random().nextInt(env.random().nextInt(4) == 0 ? 20_000 : 500); i > 0; i--) {
            Thread.onSpinWait();
        }
    }

    private static void twoChannels(final ConformanceEnv env) throws Exception {
        final List<Line> lines = new ArrayList<>();
        final List<FutureTask<Void>> receivers = new ArrayList<>();
        final int rounds = env.times(40, 300);
        for (int i = 0; i < 2; i++) {
            final CompletionChannel channel = channel(env);
            final Line line = new Line(env, channel);
            lines.add(line);
            receivers.add(receiver(env, channel, List.of(line), rounds));
        }
        for (int i = 0; i < 2 * rounds; i++) {
            lines.get(i % 2).send(i);
            pause(env);
        }
        for (final FutureTask<Void> receiver : receivers) {
            join(env, receiver);
        }
    }

    private static void solicitedOnly(final ConformanceEnv env) {
        final CompletionChannel channel = channel(env);
        final Line line = new Line(env, channel);
        Check.ok(line.cq.requestNotify(true), "arm for solicited");
        line.send(1);
        Check.equal(null, channel.await(SILENCE), "an event for a message that was not marked");
        line.send(2, SendRequest.SIGNALED | SendRequest.SOLICITED);
        Check.equal(line.cq, channel.await(env.patience(EVENT)), "queue with an event");
        env.interrupted();
        line.received.next(2);
    }

    private static void everyWay(final ConformanceEnv env) throws Exception {
        final CompletionChannel channel = channel(env);
        final Line first = new Line(env, channel);
        final Line second = new Line(env, channel);
        final List<CompletionWaiter> ways = List.of(
            CompletionWaiter.spinning(first.cq, second.cq),
            CompletionWaiter.yielding(first.cq, second.cq),
            CompletionWaiter.backingOff(first.cq, second.cq),
            CompletionWaiter.blocking(first.cq, second.cq),
            CompletionWaiter.blocking(first.cq, second.cq).spins(0));
        for (final CompletionWaiter way : ways) {
            Check.equal(0, way.await(c -> { }, 1, Duration.ofMillis(20)), "completions from nowhere");
            final FutureTask<Void> sender = new FutureTask<>(() -> {
                for (int i = 0; i < env.times(6, 40); i++) {
                    (i % 3 == 0 ? first : second).send(i);
                }
                return null;
            });
            final Thread thread = new Thread(sender, "sender");
            thread.setDaemon(true);
            thread.start();
            for (int received = 0; received < env.times(6, 40);) {
                final int count = way.await(
                    c -> Check.equal(WcStatus.SUCCESS, c.status(), "status"), 4, env.patience(EVENT));
                Check.that(count > 0, "%d after %d messages", count, received);
                received += count;
            }
            join(env, sender);
        }
    }
}
