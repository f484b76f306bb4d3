/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.conformance;

import static io.rdma4j.RdmaException.EBUSY;
import static io.rdma4j.RdmaException.EINVAL;

import io.rdma4j.verbs.AsyncEvent;
import io.rdma4j.verbs.AsyncEventSubscription;
import io.rdma4j.verbs.AsyncEventType;
import io.rdma4j.verbs.Feature;
import io.rdma4j.verbs.QpAttributes;
import io.rdma4j.verbs.QpState;
import io.rdma4j.verbs.QueuePair;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** Asynchronous events: told with their object, acknowledged, never in the way. */
final class EventCases {
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final Duration SILENCE = Duration.ofMillis(50);

    private EventCases() {
    }

    static List<ConformanceCase> cases() {
        return List.of(
            event("event.namesItsObject", EventCases::namesObject),
            event("event.closeWaitsForTheAcknowledgement", EventCases::closeWaits),
            event("event.closeIsRefusedToWhoHoldsIt", EventCases::closeRefused),
            event("event.nobodyTookItGoesWithItsObject", EventCases::dropped),
            event("event.listenerIsToldOfEach", EventCases::listener),
            event("event.listenerThatThrowsIsToldOfTheNext", EventCases::listenerThrows),
            event("event.slowListenerStopsNothing", EventCases::listenerSlow),
            ConformanceCase.of("event.oneListenerAtATime", EventCases::oneListener));
    }

    private static ConformanceCase event(final String name, final ConformanceCase.Body body) {
        return ConformanceCase.of(name, body).needs(Feature.ASYNC_EVENTS, Feature.QP_FLUSH);
    }

    /** Has an event sent for the near QP of this pair, which stays as it is. */
    private static void raise(final ConformanceEnv env, final QueuePair qp) {
        qp.modify(QpAttributes.to(QpState.SQD).sqdAsyncNotify(true));
        StateCases.back(env, qp);
    }

    /** Takes the event of this object, and does not acknowledge it. */
    private static AsyncEvent take(final ConformanceEnv env, final Object element) {
        final long deadline = System.nanoTime() + env.patience(PATIENCE).toNanos();
        while (System.nanoTime() - deadline < 0) {
            final AsyncEvent event = env.device().awaitAsyncEvent(Duration.ofNanos(deadline - System.nanoTime()));
            if (event != null && event.element() == element) {
                return event;
            }
            if (event != null) {
                event.acknowledge();
            }
        }
        throw new AssertionError("no event came for " + element);
    }

    private static void namesObject(final ConformanceEnv env) {
        final Node near = Node.near(env, 16);
        final Node far = Node.far(env, 16);
        final List<RcPair> pairs = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            pairs.add(RcPair.between(env, near, far, 4, 1));
        }
        for (final int i : new int[] {2, 0, 1, 0}) {
            raise(env, pairs.get(i).nearQp());
            final AsyncEvent event = take(env, pairs.get(i).nearQp());
            Check.equal(AsyncEventType.SQ_DRAINED, event.type(), "type");
            Check.that(!event.isAcknowledged(), "it is acknowledged before anybody did");
            event.acknowledge();
            event.acknowledge();
            Check.that(event.isAcknowledged(), "it is not acknowledged");
        }
    }

    private static void closeWaits(final ConformanceEnv env) throws Exception {
        final RcPair pair = RcPair.connected(env, 4, 1);
        raise(env, pair.nearQp());
        final AsyncEvent event = take(env, pair.nearQp());
        final CountDownLatch begun = new CountDownLatch(1);
        final FutureTask<Void> closing = new FutureTask<>(() -> {
            begun.countDown();
            pair.nearQp().close();
            return null;
        });
        start(closing, "closer");
        Check.that(begun.await(env.patience(PATIENCE).toMillis(), TimeUnit.MILLISECONDS), "closing did not begin");
        pair.near().sent().none(SILENCE, "nothing was posted");
        Check.that(!closing.isDone(), "the QP was closed while its event was held");
        event.acknowledge();
        closing.get(env.patience(PATIENCE).toMillis(), TimeUnit.MILLISECONDS);
        Check.that(pair.nearQp().isClosed(), "the QP is not closed");
    }

    private static void start(final FutureTask<?> task, final String name) {
        final Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        thread.start();
    }

    private static void closeRefused(final ConformanceEnv env) {
        final RcPair pair = RcPair.connected(env, 4, 1);
        raise(env, pair.nearQp());
        final AsyncEvent event = take(env, pair.nearQp());
        Check.refused(EBUSY, pair.nearQp()::close, "closing a QP whose event this thread holds", "SQ_DRAINED");
        Check.that(!pair.nearQp().isClosed(), "it was closed all the same");
        pair.sendUnseen(64);
        event.acknowledge();
        pair.nearQp().close();
    }

    private static void dropped(final ConformanceEnv env) {
        final RcPair first = RcPair.connected(env, 4, 1);
        final RcPair second = RcPair.connected(env, 4, 1);
        raise(env, first.nearQp());
        raise(env, second.nearQp());
        first.nearQp().close();
        take(env, second.nearQp()).acknowledge();
        Events.none(env.device(), first.nearQp(), SILENCE);
    }

    private static void listener(final ConformanceEnv env) throws Exception {
        env.skipIfPeculiar("drained-send-queues-stay-drained");
        final RcPair pair = RcPair.connected(env, 4, 1);
        final BlockingQueue<AsyncEvent> told = new LinkedBlockingQueue<>();
        try (AsyncEventSubscription subscription = env.device().listen(event -> {
            if (event.element() == pair.nearQp()) {
                told.add(event);
            }
        })) {
            for (int i = 0; i < env.times(10, 100); i++) {
                raise(env, pair.nearQp());
                final AsyncEvent event = told.poll(env.patience(PATIENCE).toMillis(), TimeUnit.MILLISECONDS);
                Check.that(event != null && event.type() == AsyncEventType.SQ_DRAINED, "round %d: %s", i, event);
            }
            pair.nearQp().close();
            Check.equal(0L, subscription.failures(), "failures");
            Check.that(subscription.delivered() >= env.times(10, 100), "delivered %d", subscription.delivered());
        }
        Check.equal(0, told.size(), "events that were not asked for");
    }

    private static void listenerThrows(final ConformanceEnv env) throws Exception {
        env.skipIfPeculiar("drained-send-queues-stay-drained");
        final RcPair pair = RcPair.connected(env, 4, 1);
        final BlockingQueue<AsyncEvent> told = new LinkedBlockingQueue<>();
        final AsyncEventSubscription subscription = env.own(env.device().listen(event -> {
            told.add(event);
            throw new IllegalStateException("the listener's mistake");
        }));
        for (int i = 0; i < 3; i++) {
            raise(env, pair.nearQp());
            Check.that(told.poll(env.patience(PATIENCE).toMillis(), TimeUnit.MILLISECONDS) != null,
                "nothing was told in round %d", i);
        }
        subscription.close();
        Check.that(subscription.failures() >= 3 && subscription.isClosed(), "failures %d", subscription.failures());
        pair.nearQp().close();
    }

    /** Traffic and commands go on while a listener does not come back. */
    private static void listenerSlow(final ConformanceEnv env) throws Exception {
        env.skipIfPeculiar("drained-send-queues-stay-drained");
        final RcPair pair = RcPair.connected(env, 4, 1);
        final Memory from = pair.near().memory(64);
        final Memory to = pair.far().memory(64);
        final CountDownLatch entered = new CountDownLatch(1);
        final CountDownLatch leave = new CountDownLatch(1);
        try (AsyncEventSubscription subscription = env.device().listen(event -> {
            entered.countDown();
            await(leave);
        })) {
            raise(env, pair.nearQp());
            Check.that(entered.await(env.patience(PATIENCE).toMillis(), TimeUnit.MILLISECONDS), "nothing was told");
            for (int i = 0; i < 20; i++) {
                pair.exchange(from, 0, to, 0, 64);
            }
            env.own(env.device().allocatePd()).close();
            Check.that(!subscription.isClosed(), "the listener has gone");
            leave.countDown();
        } finally {
            leave.countDown();
        }
        pair.nearQp().close();
    }

    private static void await(final CountDownLatch latch) {
        try {
            latch.await();
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void oneListener(final ConformanceEnv env) {
        final AsyncEventSubscription first = env.device().listen(event -> {
        });
        Check.refused(EBUSY, () -> env.device().listen(event -> {
        }), "a second listener");
        Check.refused(EINVAL, () -> env.device().listen(null), "no listener");
        first.close();
        first.close();
        env.device().listen(event -> {
        }).close();
    }
}
