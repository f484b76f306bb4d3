/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.conformance;

import static io.rdma4j.RdmaException.EBADFD;
import static io.rdma4j.RdmaException.EINVAL;
import static io.rdma4j.RdmaException.EOPNOTSUPP;

import io.rdma4j.RdmaException;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.Feature;
import io.rdma4j.verbs.WcOpcode;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;

/** Completion queues that change their size while they are used. */
final class ResizeCases {
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private ResizeCases() {
    }

    static List<ConformanceCase> cases() {
        return List.of(
            ConformanceCase.of("resize.isRefusedWithAReasonWhereThereIsNone", ResizeCases::refusedWithReason),
            resize("resize.growsAndShrinks", ResizeCases::growsAndShrinks),
            resize("resize.keepsWhatIsThere", ResizeCases::keepsPending),
            resize("resize.refusesLessThanWhatIsThere", ResizeCases::refusesBelowPending),
            resize("resize.refusesSizesOutOfRange", ResizeCases::refusesSizes),
            resize("resize.makesRoomForAnotherQp", ResizeCases::makesRoom),
            resize("resize.eventIsStillAskedFor", ResizeCases::keepsArming),
            resize("resize.whileAnotherThreadPolls", ResizeCases::whilePolled).within(Duration.ofSeconds(60)));
    }

    private static ConformanceCase resize(final String name, final ConformanceCase.Body body) {
        return ConformanceCase.of(name, body).needs(Feature.CQ_RESIZE);
    }

    private static void refusedWithReason(final ConformanceEnv env) {
        if (env.device().supports(Feature.CQ_RESIZE)) {
            throw env.skip("this device can change the size of a completion queue");
        }
        final CompletionQueue cq = env.own(env.device().createCq(16));
        final RdmaException refused = Check.refused(EOPNOTSUPP, () -> cq.resize(32), "another size");
        Check.that(refused.getMessage().contains(env.device().whyNot(Feature.CQ_RESIZE)),
            "the message does not say why: %s", refused.getMessage());
        Check.equal(16, cq.capacity(), "capacity");
    }

    private static void growsAndShrinks(final ConformanceEnv env) {
        final RcPair pair = RcPair.connected(env, 4, 1);
        final Memory from = pair.near().memory(64);
        final Memory to = pair.far().memory(64);
        final int max = env.peer().attributes().maxCqe();
        for (final int size : new int[] {16, 5, 4, max, 64, 1000, 8, 8, 4}) {
            pair.far().receiveCq().resize(size);
            final int capacity = pair.far().receiveCq().capacity();
            Check.that(capacity >= size && Integer.bitCount(capacity) == 1, "asked for %d, capacity is %d", size,
                capacity);
            for (int i = 0; i < 9; i++) {
                pair.exchange(from, 0, to, 0, 64);
            }
        }
    }

    /** Completions that were not polled yet, at every place of the ring; none is lost, all stay in order. */
    private static void keepsPending(final ConformanceEnv env) {
        final RcPair pair = RcPair.connected(env, 16, 1);
        final Memory from = pair.near().memory(64);
        final Memory to = pair.far().memory(64);
        for (int round = 0; round < env.times(10, 60); round++) {
            final int pending = env.random().nextInt(17);
            send(env, pair, from, to, pending);
            pair.far().receiveCq().resize(round % 2 == 0 ? 64 : 16);
            for (int i = 0; i < pending; i++) {
                pair.far().received().next().expect(i, WcOpcode.RECV);
            }
            Check.equal(List.of(), pair.far().received().available(), "completions that were made up");
        }
    }

    private static void send(
        final ConformanceEnv env, final RcPair pair, final Memory from, final Memory to, final int count) {
        for (int i = 0; i < count; i++) {
            Check.ok(pair.farQp().postReceive(i, to.at(0), 64, to.lkey()), "post receive");
            Check.ok(pair.nearQp().postSend(i, from.at(0), 64, from.lkey()), "post send");
            env.moved(64);
        }
        pair.near().sent().next(count);
    }

    private static void refusesBelowPending(final ConformanceEnv env) {
        final Node near = Node.near(env, 16);
        final Node far = Node.far(env, 16);
        final RcPair pair = RcPair.of(env, near, far, near.rc(16, 1),
            env.own(far.pd().createQp(far.options(16, 1).reserveCq(false))));
        final Memory from = near.memory(64);
        final Memory to = far.memory(64);
        send(env, pair, from, to, 9);
        Check.refused(EINVAL, () -> far.receiveCq().resize(8), "8 entries for 9 completions");
        Check.equal(16, far.receiveCq().capacity(), "capacity");
        for (int i = 0; i < 9; i++) {
            far.received().next().expect(i, WcOpcode.RECV);
        }
        far.receiveCq().resize(8);
        pair.exchange(from, 0, to, 0, 64);
    }

    private static void refusesSizes(final ConformanceEnv env) {
        final Node node = Node.near(env, 16);
        final CompletionQueue cq = node.sendCq();
        for (final int size : new int[] {0, -1, env.device().attributes().maxCqe() + 1, Integer.MAX_VALUE,
            Integer.MIN_VALUE}) {
            Check.refused(EINVAL, () -> cq.resize(size), size + " entries", String.valueOf(size));
        }
        node.rc(16, 1);
        Check.refused(EINVAL, () -> cq.resize(8), "8 entries where QPs have reserved 16", "8", "16");
        Check.equal(16, cq.capacity(), "capacity");
        final CompletionQueue closed = env.device().createCq(4);
        closed.close();
        Check.refused(EBADFD, () -> closed.resize(8), "a closed queue", "closed");
    }

    private static void makesRoom(final ConformanceEnv env) {
        final Node near = Node.near(env, 8);
        final Node far = Node.far(env, 8);
        final RcPair first = RcPair.between(env, near, far, 8, 1);
        Check.refused(EINVAL, () -> far.pd().createQp(far.options(8, 1)), "a second QP on a full CQ");
        for (final Node node : List.of(near, far)) {
            node.sendCq().resize(16);
            node.receiveCq().resize(16);
        }
        final RcPair second = RcPair.between(env, near, far, 8, 1);
        final Memory from = near.memory(64);
        final Memory to = far.memory(64);
        for (int i = 0; i < 20; i++) {
            (i % 2 == 0 ? first : second).exchange(from, 0, to, 0, 64);
        }
    }

    private static void keepsArming(final ConformanceEnv env) {
        final RcPair pair = RcPair.connected(env, 4, 1);
        final CompletionQueue cq = pair.far().receiveCq();
        for (final int size : new int[] {64, 4}) {
            Check.ok(cq.requestNotify(false), "arm");
            cq.resize(size);
            pair.sendUnseen(64);
            Check.that(cq.awaitEvent(env.patience(PATIENCE)), "no event after the size became %d", size);
            env.interrupted();
            pair.far().received().next();
        }
    }

    private static void whilePolled(final ConformanceEnv env) throws Exception {
        final RcPair pair = RcPair.connected(env, 8, 1);
        final Memory from = pair.near().memory(64);
        final Memory to = pair.far().memory(64);
        final int rounds = env.times(200, 1000);
        final FutureTask<Void> taker = new FutureTask<>(() -> {
            for (int i = 0; i < rounds; i++) {
                pair.far().received().next().expect(i, WcOpcode.RECV);
                Check.ok(pair.farQp().postReceive(i + 8L, to.at(0), 64, to.lkey()), "post receive");
            }
            return null;
        });
        for (int i = 0; i < 8; i++) {
            Check.ok(pair.farQp().postReceive(i, to.at(0), 64, to.lkey()), "post receive");
        }
        final Thread thread = new Thread(taker, "taker");
        thread.setDaemon(true);
        thread.start();
        for (int i = 0; i < rounds; i++) {
            Check.ok(pair.nearQp().postSend(i, from.at(0), 64, from.lkey()), "post send");
            pair.near().sent().next().expect(i, WcOpcode.SEND);
            if (i % 20 == 0) {
                pair.far().receiveCq().resize(8 << i / 20 % 4);
            }
            env.moved(64);
        }
        taker.get(env.patience(PATIENCE).toMillis(), TimeUnit.MILLISECONDS);
    }
}
