/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.conformance;

import static io.rdma4j.RdmaException.EBADFD;
import static io.rdma4j.RdmaException.EBUSY;
import static io.rdma4j.RdmaException.EINVAL;

import io.rdma4j.verbs.AsyncEventType;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.Feature;
import io.rdma4j.verbs.QpAttributes;
import io.rdma4j.verbs.QpState;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.ReturnCode;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.WcOpcode;
import io.rdma4j.verbs.WcStatus;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;

/** Completion queues: sizes, misuse, and notification by interrupt. */
final class CqCases {
    private static final Duration EVENT = Duration.ofSeconds(5);
    private static final Duration SILENCE = Duration.ofMillis(60);

    private CqCases() {
    }

    static List<ConformanceCase> cases() {
        return List.of(
            ConformanceCase.of("cq.anySize", CqCases::anySize),
            ConformanceCase.of("cq.refusesSizesOutOfRange", CqCases::refusesSizes),
            ConformanceCase.of("cq.manyAtOnce", CqCases::manyAtOnce),
            ConformanceCase.of("cq.isEmptyAtFirst", CqCases::isEmptyAtFirst),
            ConformanceCase.of("cq.closesTwiceWithoutHarm", CqCases::closesTwice),
            ConformanceCase.of("cq.answersClosedOnceClosed", CqCases::answersClosed),
            ConformanceCase.of("cq.staysWhileQpsUseIt", CqCases::staysWhileUsed),
            ConformanceCase.of("cq.refusesMoreThanCanCompleteIntoIt", CqCases::refusesTooSmall),
            ConformanceCase.of("cq.handsOverNoMoreThanTheLimit", CqCases::honoursLimit),
            ConformanceCase.of("cq.goesRoundManyTimes", CqCases::goesRound),
            ConformanceCase.of("cq.overflowIsTold", CqCases::overflow).needs(Feature.ASYNC_EVENTS, Feature.QP_FLUSH),
            ConformanceCase.of("cq.losesTheCompletionsOfAClosedQp", CqCases::losesClosedQp),
            ConformanceCase.of("notify.eventComesWhenArmed", CqCases::eventWhenArmed),
            ConformanceCase.of("notify.noEventUnlessArmed", CqCases::noEventUnlessArmed),
            ConformanceCase.of("notify.onceForEachArming", CqCases::onceForEachArming),
            ConformanceCase.of("notify.wakesAWaitingThreadEachTime", CqCases::wakesEachTime)
                .within(Duration.ofSeconds(40)),
            ConformanceCase.of("notify.waitEndsAtItsDeadline", CqCases::waitEnds),
            ConformanceCase.of("notify.onlyTheArmedQueueIsTold", CqCases::onlyTheArmedQueue),
            ConformanceCase.of("notify.qpsCloseWhileTheirCompletionsInterrupt", CqCases::closesWhileInterrupted),
            ConformanceCase.of("notify.failureIsSolicited", CqCases::failureIsSolicited)
                .needs(Feature.SOLICITED, Feature.QP_FLUSH),
            ConformanceCase.of("notify.solicitedOnly", CqCases::solicitedOnly).needs(Feature.SOLICITED));
    }

    private static void anySize(final ConformanceEnv env) {
        final int max = env.device().attributes().maxCqe();
        for (final int size : new int[] {1, 2, 3, 63, 64, 65, max / 2, max}) {
            final CompletionQueue cq = env.device().createCq(size);
            Check.that(cq.capacity() >= size && Integer.bitCount(cq.capacity()) == 1,
                "%d entries were asked for, capacity is %d", size, cq.capacity());
            Check.equal(env.device(), cq.context(), "context");
            Check.equal(0, cq.poll(c -> {
            }, 1), "completions in a new queue");
            cq.close();
        }
    }

    private static void refusesSizes(final ConformanceEnv env) {
        final int max = env.device().attributes().maxCqe();
        for (final int size : new int[] {0, -1, max + 1, Integer.MAX_VALUE, Integer.MIN_VALUE}) {
            Check.refused(EINVAL, () -> env.device().createCq(size), size + " entries", String.valueOf(size));
        }
    }

    private static void manyAtOnce(final ConformanceEnv env) {
        final int count = Math.min(env.times(64, 300), env.device().attributes().maxCq() - 1);
        for (int i = 0; i < count; i++) {
            env.own(env.device().createCq(1 + i));
        }
    }

    private static void isEmptyAtFirst(final ConformanceEnv env) {
        final CompletionQueue cq = env.own(env.device().createCq(16));
        for (int i = 0; i < 100; i++) {
            Check.equal(0, cq.poll(c -> {
                throw new AssertionError("a completion in a new queue: " + Wc.of(c));
            }, 16), "completions");
        }
        Check.equal(0L, cq.dropped(), "dropped");
    }

    private static void closesTwice(final ConformanceEnv env) {
        final CompletionQueue cq = env.device().createCq(16);
        cq.close();
        final CompletionQueue other = env.own(env.device().createCq(16));
        cq.close();
        Check.that(cq.isClosed() && !other.isClosed(), "the second close hit another queue");
    }

    private static void answersClosed(final ConformanceEnv env) {
        final CompletionQueue cq = env.device().createCq(16);
        cq.close();
        Check.code(ReturnCode.CLOSED, cq.poll(c -> {
        }, 1), "poll");
        Check.code(ReturnCode.CLOSED, cq.requestNotify(false), "arm");
        Check.refused(EBADFD, () -> cq.awaitEvent(Duration.ofMillis(1)), "wait", "closed");
        final Node node = Node.near(env, 16);
        Check.refused(EBADFD, () -> node.pd().createQp(node.options(4, 1).sendCq(cq)), "QP on it", "closed");
    }

    private static void staysWhileUsed(final ConformanceEnv env) {
        final Node node = Node.near(env, 16);
        final QueuePair qp = node.rc(4, 1);
        Check.refused(EBUSY, () -> node.sendCq().close(), "closing the CQ of sends");
        Check.refused(EBUSY, () -> node.receiveCq().close(), "closing the CQ of receives");
        Check.that(!node.sendCq().isClosed() && !node.receiveCq().isClosed(), "it was closed all the same");
        qp.close();
        node.sendCq().close();
        node.receiveCq().close();
    }

    private static void refusesTooSmall(final ConformanceEnv env) {
        final Node node = Node.near(env, 16);
        Check.refused(EINVAL, () -> node.pd().createQp(node.options(32, 1)), "32 requests on a CQ of 16", "16", "32");
        final QueuePair first = node.rc(8, 1);
        node.rc(8, 1);
        Check.refused(EINVAL, () -> node.pd().createQp(node.options(1, 1)), "one request too many");
        env.own(node.pd().createQp(node.options(8, 1).reserveCq(false))).close();
        first.close();
        node.rc(8, 1);
    }

    private static void honoursLimit(final ConformanceEnv env) {
        final RcPair pair = RcPair.connected(env, 16, 1);
        sendMany(env, pair, 10);
        final CompletionQueue cq = pair.far().receiveCq();
        final long deadline = System.nanoTime() + env.patience(EVENT).toNanos();
        int seen = 0;
        while (seen < 10 && System.nanoTime() - deadline < 0) {
            final int[] calls = {0};
            final int count = cq.poll(c -> calls[0]++, 3);
            Check.that(count >= 0 && count <= 3 && calls[0] == count, "limit 3: returned %d after %d calls", count,
                calls[0]);
            seen += count;
        }
        Check.equal(10, seen, "completions");
        Check.equal(0, cq.poll(c -> {
        }, 3), "completions after the last");
    }

    /** Sends messages whose completions at the receiver are on their way, but not taken. */
    private static void sendMany(final ConformanceEnv env, final RcPair pair, final int count) {
        final Memory from = pair.near().memory(4096);
        final Memory to = pair.far().memory(4096);
        for (int i = 0; i < count; i++) {
            Check.ok(pair.farQp().postReceive(i, to.at(0), 64, to.lkey()), "post receive");
            Check.ok(pair.nearQp().postSend(i, from.at(0), 64, from.lkey()), "post send");
            env.moved(64);
        }
        pair.near().sent().next(count);
    }

    private static void goesRound(final ConformanceEnv env) {
        final RcPair pair = RcPair.connected(env, 4, 1);
        final Memory from = pair.near().memory(4096);
        final Memory to = pair.far().memory(4096);
        final int rounds = env.times(150, 2000);
        for (int i = 0; i < rounds; i++) {
            final int burst = 1 + i % 4;
            for (int k = 0; k < burst; k++) {
                Check.ok(pair.farQp().postReceive(i * 4L + k, to.at(64 * k), 64, to.lkey()), "post receive");
                from.fill(i + k, 64 * k, 64);
                Check.ok(pair.nearQp().postSend(-i * 4L - k, from.at(64 * k), 64, from.lkey()), "post send");
            }
            for (int k = 0; k < burst; k++) {
                pair.near().sent().next().expect(-i * 4L - k, WcOpcode.SEND);
                pair.far().received().next().expect(i * 4L + k, WcOpcode.RECV);
                to.expectPattern(i + k, 64 * k, 64, "round " + i);
                env.moved(64);
            }
        }
    }

    /** Whoever goes without a reservation and does not poll is told, and so are the QPs that complete there. */
    private static void overflow(final ConformanceEnv env) {
        final Node near = Node.near(env, 64);
        final Node far = Node.far(env, 4);
        final RcPair pair = RcPair.of(env, near, far, near.rc(64, 1),
            env.own(far.pd().createQp(far.options(64, 1).reserveCq(false))));
        final Memory from = near.memory(64);
        final Memory to = far.memory(64);
        final int count = far.receiveCq().capacity() + 4;
        for (int i = 0; i < count; i++) {
            Check.ok(pair.farQp().postReceive(i, to.at(0), 64, to.lkey()), "post receive");
        }
        for (int i = 0; i < count; i++) {
            Check.ok(pair.nearQp().postSend(i, from.at(0), 64, from.lkey()), "post send");
        }
        Events.expect(env, env.peer(), AsyncEventType.CQ_ERR, far.receiveCq());
        Events.expectIfAny(env, env.peer(), AsyncEventType.QP_FATAL, pair.farQp());
        Check.equal(QpState.ERR, pair.farQp().query().state(), "state of the QP that completes there");
    }

    private static void losesClosedQp(final ConformanceEnv env) {
        final Node near = Node.near(env, 32);
        final Node far = Node.far(env, 32);
        final RcPair first = RcPair.between(env, near, far, 8, 1);
        final RcPair second = RcPair.between(env, near, far, 8, 1);
        sendMany(env, first, 3);
        first.farQp().close();
        first.nearQp().close();
        far.received().none(SILENCE, "the completions of a closed QP must go with it");
        sendMany(env, second, 3);
        Check.equal(second.farQp().qpNumber(), far.received().next().qpn(), "QP of the next completion");
    }

    private static void eventWhenArmed(final ConformanceEnv env) {
        final RcPair pair = RcPair.connected(env, 4, 1);
        final CompletionQueue cq = pair.far().receiveCq();
        Check.ok(cq.requestNotify(false), "arm");
        Check.that(pair.far().received().available().isEmpty(), "a completion too early");
        pair.sendUnseen(64);
        Check.that(cq.awaitEvent(env.patience(EVENT)), "no event within %s", env.patience(EVENT));
        env.interrupted();
        pair.far().received().next();
    }

    private static void noEventUnlessArmed(final ConformanceEnv env) {
        final RcPair pair = RcPair.connected(env, 4, 1);
        pair.sendUnseen(64);
        Check.that(!pair.far().receiveCq().awaitEvent(SILENCE), "an event came, and the queue was not armed");
        pair.far().received().next();
    }

    private static void onceForEachArming(final ConformanceEnv env) {
        final RcPair pair = RcPair.connected(env, 8, 1);
        final CompletionQueue cq = pair.far().receiveCq();
        Check.ok(cq.requestNotify(false), "arm");
        pair.sendUnseen(64);
        Check.that(cq.awaitEvent(env.patience(EVENT)), "no event for the first message");
        env.interrupted();
        pair.sendUnseen(64);
        Check.that(!cq.awaitEvent(SILENCE), "a second event without arming again");
        Check.ok(cq.requestNotify(false), "arm again");
        pair.far().received().next(2);
        pair.sendUnseen(64);
        Check.that(cq.awaitEvent(env.patience(EVENT)), "no event after arming again");
        env.interrupted();
        pair.far().received().next();
    }

    /** The usual loop of an application that sleeps; a lost wake-up shows as a deadline that passes. */
    private static void wakesEachTime(final ConformanceEnv env) throws Exception {
        final RcPair pair = RcPair.connected(env, 4, 1);
        final int rounds = env.times(100, 500);
        final Memory to = pair.far().memory(4096);
        final CompletionQueue cq = pair.far().receiveCq();
        final FutureTask<Void> sleeper = new FutureTask<>(() -> {
            for (int i = 0; i < rounds; i++) {
                Check.ok(cq.requestNotify(false), "arm");
                while (!pair.far().received().ready()) {
                    Check.that(cq.awaitEvent(env.patience(EVENT)), "round %d: no event", i);
                    env.interrupted();
                    Check.ok(cq.requestNotify(false), "arm");
                }
                pair.far().received().next().expect(i, WcOpcode.RECV);
                if (i + 2 < rounds) {
                    Check.ok(pair.farQp().postReceive(i + 2L, to.at(0), 64, to.lkey()), "post receive");
                }
            }
            return null;
        });
        for (int i = 0; i < Math.min(2, rounds); i++) {
            Check.ok(pair.farQp().postReceive(i, to.at(0), 64, to.lkey()), "post receive");
        }
        final Thread thread = new Thread(sleeper, "sleeper");
        thread.setDaemon(true);
        thread.start();
        final Memory from = pair.near().memory(4096);
        for (int i = 0; i < rounds && !sleeper.isDone(); i++) {
            Check.ok(pair.nearQp().postSend(i, from.at(0), 64, from.lkey()), "post send");
            pair.near().sent().next().expect(i, WcOpcode.SEND);
            env.moved(64);
        }
        sleeper.get(env.patience(EVENT).toMillis() * 2, TimeUnit.MILLISECONDS);
    }

    private static void waitEnds(final ConformanceEnv env) {
        final CompletionQueue cq = env.own(env.device().createCq(4));
        for (int i = 0; i < 10 && cq.awaitEvent(Duration.ofMillis(20)); i++) {
            // What is left of other queues: events may be spurious.
        }
        Check.ok(cq.requestNotify(false), "arm");
        final long start = System.nanoTime();
        Check.that(!cq.awaitEvent(Duration.ofMillis(30)), "events without end on a queue that nobody uses");
        final long waited = System.nanoTime() - start;
        Check.that(waited > 25_000_000, "waited %d ns for 30 ms", waited);
    }

    private static void onlyTheArmedQueue(final ConformanceEnv env) {
        final RcPair first = RcPair.connected(env, 4, 1);
        final RcPair second = RcPair.connected(env, 4, 1);
        Check.ok(first.far().receiveCq().requestNotify(false), "arm");
        second.sendUnseen(64);
        second.far().received().next();
        Check.that(!second.far().receiveCq().awaitEvent(SILENCE), "an event on the queue that was not armed");
        first.sendUnseen(64);
        Check.that(first.far().receiveCq().awaitEvent(env.patience(EVENT)), "no event on the armed queue");
        env.interrupted();
        first.far().received().next();
    }

    /** The device may still be at work on what has been polled already. */
    private static void closesWhileInterrupted(final ConformanceEnv env) {
        final Node near = Node.near(env, 4);
        final Node far = Node.far(env, 4);
        final Memory from = near.memory(64);
        final Memory to = far.memory(64);
        final int rounds = env.times(10, 50);
        for (int i = 0; i < rounds; i++) {
            final RcPair pair = RcPair.between(env, near, far, 4, 1);
            Check.ok(pair.farQp().postReceive(i, to.at(0), 64, to.lkey()), "post receive");
            Check.ok(far.receiveCq().requestNotify(false), "arm");
            Check.ok(pair.nearQp().postSend(i, from.at(0), 64, from.lkey()), "post send");
            far.received().next().expect(i, WcOpcode.RECV);
            pair.close();
            near.sent().available();
            env.moved(64);
        }
        RcPair.between(env, near, far, 4, 1).exchange(from, 0, to, 0, 64);
    }

    /** A completion that failed wakes up also who waits for solicited ones only. */
    private static void failureIsSolicited(final ConformanceEnv env) {
        final RcPair pair = RcPair.connected(env, 4, 1);
        final CompletionQueue cq = pair.far().receiveCq();
        final Memory to = pair.far().memory(64);
        Check.ok(pair.farQp().postReceive(1, to.at(0), 64, to.lkey()), "post receive");
        Check.ok(cq.requestNotify(true), "arm for solicited");
        pair.farQp().modify(QpAttributes.to(QpState.ERR));
        Check.that(cq.awaitEvent(env.patience(EVENT)), "no event for a receive that was flushed");
        env.interrupted();
        pair.far().received().next().expectStatus(1, WcStatus.WR_FLUSH_ERR);
    }

    private static void solicitedOnly(final ConformanceEnv env) {
        final RcPair pair = RcPair.connected(env, 4, 1);
        final CompletionQueue cq = pair.far().receiveCq();
        Check.ok(cq.requestNotify(true), "arm for solicited");
        pair.sendUnseen(64);
        Check.that(!cq.awaitEvent(SILENCE), "an event for a message that was not marked");
        final Memory from = pair.near().memory(4096);
        final Memory to = pair.far().memory(4096);
        Check.ok(pair.farQp().postReceive(1, to.at(0), 64, to.lkey()), "post receive");
        Check.ok(pair.nearQp().postSend(new SendRequest().sge(from.at(0), 64, from.lkey())
            .flags(SendRequest.SIGNALED | SendRequest.SOLICITED)), "post send");
        Check.that(cq.awaitEvent(env.patience(EVENT)), "no event for the message that was marked");
        env.interrupted();
        pair.far().received().next(2);
    }
}
