/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.conformance;

import static io.rdma4j.verbs.AccessFlag.REMOTE_ATOMIC;
import static io.rdma4j.verbs.AccessFlag.REMOTE_READ;
import static io.rdma4j.verbs.AccessFlag.REMOTE_WRITE;

import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.Feature;
import io.rdma4j.verbs.QpAttributes;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.SendOpcode;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.WcOpcode;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.Set;

/**
 * Every operation of a connection in random order, both ways at once, against a model of the memory that they change:
 * each byte is compared, no completion is missing, none comes twice, none out of order.
 */
final class MixedCases {
    private static final int WINDOW = 16;
    private static final int LONGEST = 6000;
    private static final int SLOT = 8192;
    private static final int TARGET = 16_384;
    private static final int WORD = 8;
    private static final String NO_FENCES = "fences-are-looked-at-again";

    private MixedCases() {
    }

    static List<ConformanceCase> cases() {
        return List.of(
            mixed("load.randomOperationsMatchAModel", Kind.ALL),
            mixed("load.randomOperationsOfOneMatchAModel", Kind.UNANSWERED));
    }

    /** One of the two does everything, the other one these. */
    private static ConformanceCase mixed(final String name, final List<Kind> others) {
        return ConformanceCase.of(name, env -> randomOperations(env, others))
            .needs(Feature.RDMA_WRITE, Feature.RDMA_READ, Feature.ATOMICS, Feature.REMOTE_KEYS, Feature.SEND_WITH_IMM)
            .within(Duration.ofSeconds(60));
    }

    private static void randomOperations(final ConformanceEnv env, final List<Kind> others) {
        final Set<AccessFlag> rights = Set.of(REMOTE_WRITE, REMOTE_READ, REMOTE_ATOMIC);
        final Node near = Node.near(env, 2 * WINDOW);
        final Node far = Node.far(env, 2 * WINDOW);
        final RcPair pair = RcPair.unconnected(env, near, far, WINDOW, 1).connect(
            new QpAttributes().accessFlags(rights), new QpAttributes().accessFlags(rights));
        final Way out = new Way(env, Kind.ALL, near, pair.nearQp(), far, pair.farQp());
        final Way back = new Way(env, others, far, pair.farQp(), near, pair.nearQp());
        final int operations = env.times(500, 5000);
        for (int done = 0, round = 0; done < operations; round++) {
            final int more = Math.min(WINDOW, operations - done);
            final int there = 1 + env.random().nextInt(more);
            final int here = Math.min(env.random().nextInt(WINDOW + 1), operations - done - there);
            out.post(there);
            back.post(here);
            out.compare("out, round " + round);
            back.compare("back, round " + round);
            done += there + here;
        }
    }

    /** Operations of one of the two, on memory of the other that nobody else uses. */
    private static final class Way {
        private final ConformanceEnv env;
        private final List<Kind> kinds;
        private final boolean fences;
        private final Node node;
        private final Node peer;
        private final QueuePair qp;
        private final QueuePair peerQp;
        private final Memory sources;
        private final Memory results;
        private final Memory receives;
        private final Memory target;
        private final byte[] model = new byte[TARGET];
        private final Deque<Runnable> sent = new ArrayDeque<>();
        private final Deque<Runnable> received = new ArrayDeque<>();
        private long completed;
        private long posted;

        Way(
            final ConformanceEnv env, final List<Kind> kinds, final Node node, final QueuePair qp, final Node peer,
            final QueuePair peerQp) {
            this.env = env;
            this.kinds = kinds;
            this.node = node;
            this.qp = qp;
            this.peer = peer;
            this.peerQp = peerQp;
            fences = !env.isPeculiar(qp.pd().context(), NO_FENCES);
            sources = node.memory(WINDOW * SLOT);
            results = node.memory(WINDOW * SLOT);
            receives = peer.memory(WINDOW * SLOT);
            target = peer.memory(TARGET, REMOTE_WRITE, REMOTE_READ, REMOTE_ATOMIC);
            target.buffer().setMemory(0, TARGET, (byte) 0);
        }

        /** So many with one doorbell; receives for those that need one stand there before. */
        void post(final int count) {
            final List<SendRequest> requests = new ArrayList<>(count);
            boolean fetches = false;
            for (int slot = 0; slot < count; slot++) {
                final Kind kind = kinds.get(env.random().nextInt(kinds.size()));
                // A READ or an atomic may be carried out again: what changes its memory has to wait for it.
                final boolean waits = kind.changes() && fetches;
                if (waits && !fences) {
                    post(requests);
                    take(sent);
                    fetches = false;
                }
                final SendRequest request = make(kind, slot).wrId(posted++);
                if (waits && fences) {
                    request.flags(SendRequest.SIGNALED | SendRequest.FENCE);
                }
                fetches |= kind.fetches();
                requests.add(request);
            }
            post(requests);
        }

        private void post(final List<SendRequest> requests) {
            final int count = requests.size();
            if (count > 0) {
                Check.equal(count, qp.postSend(requests.toArray(new SendRequest[0]), count), "posted");
            }
            requests.clear();
        }

        private SendRequest make(final Kind kind, final int slot) {
            final Random random = env.random();
            final int length = random.nextInt(8) == 0 ? random.nextInt(LONGEST) : random.nextInt(300);
            final int at = random.nextInt(TARGET - LONGEST);
            final int from = slot * SLOT + random.nextInt(64);
            final int seed = random.nextInt();
            return switch (kind) {
                case SEND, SEND_IMM -> {
                    sources.fill(seed, from, length);
                    receive(slot, seed, length, kind == Kind.SEND_IMM);
                    expect(WcOpcode.SEND, length, () -> { });
                    yield new SendRequest().sge(sources.at(from), length, sources.lkey()).immData(seed)
                        .opcode(kind == Kind.SEND ? SendOpcode.SEND : SendOpcode.SEND_WITH_IMM);
                }
                case WRITE, WRITE_IMM -> {
                    sources.fill(seed, from, length);
                    sources.buffer().getBytes(from, model, at, length);
                    if (kind == Kind.WRITE_IMM) {
                        receiveImmediate(slot, seed, length);
                    }
                    expect(WcOpcode.RDMA_WRITE, length, () -> { });
                    yield OneSided.write(sources, from, length, target, at).immData(seed)
                        .opcode(kind == Kind.WRITE ? SendOpcode.RDMA_WRITE : SendOpcode.RDMA_WRITE_WITH_IMM);
                }
                case READ -> {
                    final byte[] expected = new byte[length];
                    System.arraycopy(model, at, expected, 0, length);
                    expect(WcOpcode.RDMA_READ, length, () -> results.expectBytes(expected, from, "what was read"));
                    yield OneSided.read(results, from, length, target, at);
                }
                case ADD, SWAP -> atomic(kind, slot * SLOT, at & -WORD, random);
            };
        }

        private SendRequest atomic(final Kind kind, final int into, final int at, final Random random) {
            final long old = word(at);
            final long value = random.nextLong();
            if (kind == Kind.ADD) {
                put(at, old + value);
                expect(WcOpcode.FETCH_ADD, WORD, () -> Check.equal(old, results.buffer().getLong(into), "sum before"));
                return OneSided.fetchAndAdd(results, into, target, at, value);
            }
            final long compared = random.nextBoolean() ? old : ~old;
            if (compared == old) {
                put(at, value);
            }
            expect(WcOpcode.COMP_SWAP, WORD, () -> Check.equal(old, results.buffer().getLong(into), "word before"));
            return OneSided.compareAndSwap(results, into, target, at, compared, value);
        }

        private long word(final int at) {
            long value = 0;
            for (int i = WORD - 1; i >= 0; i--) {
                value = value << 8 | model[at + i] & 0xff;
            }
            return value;
        }

        private void put(final int at, final long value) {
            for (int i = 0; i < WORD; i++) {
                model[at + i] = (byte) (value >>> 8 * i);
            }
        }

        private void receive(final int slot, final int seed, final int length, final boolean immediate) {
            final int at = slot * SLOT;
            receives.buffer().setMemory(at, SLOT, Memory.GUARD);
            Check.ok(peerQp.postReceive(slot, receives.at(at), LONGEST, receives.lkey()), "post receive");
            received.add(() -> {
                final Wc wc = peer.received().next().expect(slot, WcOpcode.RECV).expectBytes(length);
                Check.equal(immediate, wc.hasImm(), "immediate data of " + wc);
                Check.that(!immediate || wc.imm() == seed, "not immediate data 0x%x: %s", seed, wc);
                receives.expectPattern(seed, at, length, "message");
                receives.expectGuard(at + length, at + SLOT, "behind the message");
            });
        }

        private void receiveImmediate(final int slot, final int seed, final int length) {
            final int at = slot * SLOT;
            receives.buffer().setMemory(at, SLOT, Memory.GUARD);
            Check.ok(peerQp.postReceive(slot, receives.at(at), LONGEST, receives.lkey()), "post receive");
            received.add(() -> {
                final Wc wc = peer.received().next().expect(slot, WcOpcode.RECV_RDMA_WITH_IMM).expectBytes(length);
                Check.that(wc.hasImm() && wc.imm() == seed, "not immediate data 0x%x: %s", seed, wc);
                receives.expectGuard(at, at + SLOT, "receive of which only the immediate data is told");
            });
        }

        private void expect(final WcOpcode opcode, final int length, final Runnable result) {
            sent.add(() -> {
                node.sent().next().expect(completed++, opcode);
                result.run();
                env.moved(length);
            });
        }

        private static void take(final Deque<Runnable> completions) {
            while (!completions.isEmpty()) {
                completions.poll().run();
            }
        }

        /** Takes all completions, and no more come; memory is what the model says. */
        void compare(final String what) {
            take(received);
            take(sent);
            target.expectBytes(model, 0, what);
            Check.that(!node.sent().ready() && !peer.received().ready(), "%s: a completion too many", what);
        }
    }

    private enum Kind {
        SEND, SEND_IMM, WRITE, WRITE_IMM, READ, ADD, SWAP;

        static final List<Kind> ALL = List.of(values());
        /** Nothing comes back but an acknowledgement. */
        static final List<Kind> UNANSWERED = List.of(SEND, SEND_IMM, WRITE, WRITE_IMM);

        /** Brings something back from the peer's memory. */
        boolean fetches() {
            return compareTo(READ) >= 0;
        }

        /** Changes the peer's memory. */
        boolean changes() {
            return this == WRITE || this == WRITE_IMM || this == ADD || this == SWAP;
        }
    }
}
