/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.conformance;

import io.rdma4j.verbs.QpConnector;
import io.rdma4j.verbs.QpOptions;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.WcOpcode;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;

/** Many QPs at once, and random traffic against a model. */
final class LoadCases {
    private LoadCases() {
    }

    static List<ConformanceCase> cases() {
        return List.of(
            ConformanceCase.of("load.manyPairsOnSharedCqs", LoadCases::manyPairs).within(Duration.ofSeconds(60)),
            ConformanceCase.of("load.allToAll", LoadCases::allToAll).within(Duration.ofSeconds(60)),
            ConformanceCase.of("load.severalThreads", LoadCases::severalThreads).within(Duration.ofSeconds(60)),
            ConformanceCase.of("load.randomMessagesMatchAModel", LoadCases::randomMessages)
                .within(Duration.ofSeconds(60)),
            ConformanceCase.of("load.randomBurstsCompleteInOrder", LoadCases::randomBursts)
                .within(Duration.ofSeconds(60)));
    }

    private static int pairs(final ConformanceEnv env, final int wished) {
        // A device may have one less than it says: of a table whose first place it does not use.
        final int most = Math.min(env.device().attributes().maxQp(), env.peer().attributes().maxQp()) - 1;
        return Math.min(wished, most / 2);
    }

    /** Every pair sends a burst at the same time; all completions come through two CQs. */
    private static void manyPairs(final ConformanceEnv env) {
        final int count = pairs(env, 64);
        final int burst = 4;
        final Node near = Node.near(env, 64 * 8);
        final Node far = Node.far(env, 64 * 8);
        final List<RcPair> pairs = new ArrayList<>();
        final Map<Integer, Integer> byNumber = new HashMap<>();
        for (int i = 0; i < count; i++) {
            pairs.add(RcPair.between(env, near, far, 8, 1));
            byNumber.put(pairs.get(i).farQp().qpNumber(), i);
        }
        Check.equal(count, byNumber.size(), "different QP numbers");
        final Memory from = near.memory(count * burst * 256);
        final Memory to = far.memory(count * burst * 256);
        for (int round = 0; round < env.times(3, 10); round++) {
            burst(pairs, from, to, burst, round);
            near.sent().next(count * burst).forEach(wc -> wc.expect(wc.wrId(), WcOpcode.SEND));
            final int[] next = new int[count];
            for (final Wc wc : far.received().next(count * burst)) {
                final Integer pair = byNumber.get(wc.qpn());
                Check.that(pair != null, "a completion of nobody's QP: %s", wc);
                final int slot = pair * burst + next[pair]++;
                wc.expect(slot, WcOpcode.RECV).expectBytes(200);
                to.expectPattern(slot + round, slot * 256, 200, "message " + slot);
                env.moved(200);
            }
        }
    }

    private static void burst(
        final List<RcPair> pairs, final Memory from, final Memory to, final int burst, final int round) {
        for (int slot = 0; slot < pairs.size() * burst; slot++) {
            Check.ok(pairs.get(slot / burst).farQp().postReceive(slot, to.at(slot * 256), 256, to.lkey()), "receive");
            from.fill(slot + round, slot * 256, 200);
        }
        for (int i = 0; i < burst; i++) {
            for (int pair = 0; pair < pairs.size(); pair++) {
                final int slot = pair * burst + i;
                Check.ok(pairs.get(pair).nearQp().postSend(slot, from.at(slot * 256), 200, from.lkey()), "send");
            }
        }
    }

    /** So many nodes, each with a QP to each other one: everybody sends to everybody. */
    private static void allToAll(final ConformanceEnv env) {
        final int nodes = pairs(env, 28) >= 28 ? 8 : 3;
        final List<Node> all = new ArrayList<>();
        final List<Memory> memories = new ArrayList<>();
        for (int i = 0; i < nodes; i++) {
            all.add(i % 2 == 0 ? Node.near(env, 64) : Node.far(env, 64));
            memories.add(all.get(i).memory(nodes * 1024));
        }
        final QueuePair[][] qps = mesh(all);
        for (int i = 0; i < nodes; i++) {
            for (int k = 0; k < nodes; k++) {
                if (i != k) {
                    final Memory memory = memories.get(i);
                    Check.ok(qps[i][k].postReceive(k, memory.at(k * 1024), 512, memory.lkey()), "post receive");
                }
            }
        }
        for (int i = 0; i < nodes; i++) {
            final Memory memory = memories.get(i).fill(i, i * 1024, 512);
            for (int k = 0; k < nodes; k++) {
                if (i != k) {
                    Check.ok(qps[i][k].postSend(k, memory.at(i * 1024), 512, memory.lkey()), "post send");
                }
            }
        }
        for (int i = 0; i < nodes; i++) {
            all.get(i).sent().next(nodes - 1).forEach(wc -> wc.expect(wc.wrId(), WcOpcode.SEND));
            all.get(i).received().next(nodes - 1).forEach(wc -> wc.expect(wc.wrId(), WcOpcode.RECV).expectBytes(512));
            for (int k = 0; k < nodes; k++) {
                memories.get(i).expectPattern(k, k * 1024, 512, "message from " + k + " to " + i);
                env.moved(k == i ? 0 : 512);
            }
        }
    }

    private static QueuePair[][] mesh(final List<Node> all) {
        final QueuePair[][] qps = new QueuePair[all.size()][all.size()];
        for (int i = 0; i < all.size(); i++) {
            for (int k = 0; k < i; k++) {
                qps[i][k] = all.get(i).rc(4, 1);
                qps[k][i] = all.get(k).rc(4, 1);
                QpConnector.connect(qps[i][k], qps[k][i].localAddress());
                QpConnector.connect(qps[k][i], qps[i][k].localAddress());
            }
        }
        return qps;
    }

    /** Pairs of their own for each thread, resources made and closed all the time beside them. */
    private static void severalThreads(final ConformanceEnv env) throws Exception {
        final List<FutureTask<Void>> tasks = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            final RcPair pair = RcPair.connected(env, 4, 1);
            final Memory from = pair.near().memory(8192);
            final Memory to = pair.far().memory(8192);
            final int seed = i;
            tasks.add(new FutureTask<>(() -> {
                for (int k = 0; k < env.times(60, 1000); k++) {
                    oneMessage(env, pair, from, to, 100 * seed + k);
                }
                return null;
            }));
        }
        tasks.add(new FutureTask<>(() -> {
            for (int k = 0; k < env.times(10, 200); k++) {
                final var pd = env.device().allocatePd();
                final var cq = env.device().createCq(16);
                pd.createQp(new QpOptions().cq(cq).maxSendWr(4).maxReceiveWr(4)).close();
                cq.close();
                pd.close();
            }
            return null;
        }));
        for (final FutureTask<Void> task : tasks) {
            final Thread thread = new Thread(task, "load");
            thread.setDaemon(true);
            thread.start();
        }
        for (final FutureTask<Void> task : tasks) {
            task.get(env.patience(Duration.ofSeconds(50)).toMillis(), TimeUnit.MILLISECONDS);
        }
    }

    private static void oneMessage(
        final ConformanceEnv env, final RcPair pair, final Memory from, final Memory to, final int seed) {
        from.fill(seed, 0, 5000);
        Check.ok(pair.farQp().postReceive(seed, to.at(77), 5000, to.lkey()), "post receive");
        Check.ok(pair.nearQp().postSend(seed, from.at(0), 5000, from.lkey()), "post send");
        pair.near().sent().next().expect(seed, WcOpcode.SEND);
        pair.far().received().next().expect(seed, WcOpcode.RECV).expectBytes(5000);
        to.expectPattern(seed, 77, 5000, "message " + seed);
        env.moved(5000);
    }

    /** Random sizes, pieces and places: the whole target is compared with a model after every message. */
    private static void randomMessages(final ConformanceEnv env) {
        final int most = Math.min(env.device().attributes().maxSge(), env.peer().attributes().maxSge());
        final RcPair pair = RcPair.connected(env, 4, most);
        final ScatterGather traffic =
            new ScatterGather(env, pair, pair.near().memory(1 << 15), pair.far().memory(1 << 15));
        for (int i = 0; i < env.times(200, 3000); i++) {
            traffic.exchange(1 + env.random().nextInt(most), 1 + env.random().nextInt(most),
                env.random().nextInt(12_000));
        }
    }

    /** Random numbers of messages under way; the model says what the target looks like once all have arrived. */
    private static void randomBursts(final ConformanceEnv env) {
        final int window = 16;
        final int most = Math.min(4, Math.min(env.device().attributes().maxSge(), env.peer().attributes().maxSge()));
        final RcPair pair = RcPair.connected(env, window, most);
        final List<Memory> sources = new ArrayList<>();
        final Memory to = pair.far().memory(1 << 15);
        for (int i = 0; i < window; i++) {
            sources.add(pair.near().memory(8192));
        }
        for (int round = 0; round < env.times(20, 200); round++) {
            final int count = 1 + env.random().nextInt(window);
            for (int i = 0; i < count; i++) {
                final ScatterGather traffic = new ScatterGather(env, pair, sources.get(i), to);
                final int length = env.random().nextInt(8000);
                traffic.post(1 + env.random().nextInt(most), 1 + env.random().nextInt(most), length, i);
                final Wc received = pair.far().received().next().expect(i, WcOpcode.RECV).expectBytes(length);
                traffic.compare("round " + round + " message " + received.wrId());
                env.moved(length);
            }
            for (int i = 0; i < count; i++) {
                pair.near().sent().next().expect(i, WcOpcode.SEND);
            }
        }
    }
}
