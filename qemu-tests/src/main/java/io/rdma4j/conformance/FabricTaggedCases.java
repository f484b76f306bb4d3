/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.conformance;

import static io.rdma4j.fabric.FiErrno.FI_EAGAIN;
import static io.rdma4j.fabric.FiErrno.FI_EBADFLAGS;
import static io.rdma4j.fabric.FiErrno.FI_ECANCELED;
import static io.rdma4j.fabric.FiErrno.FI_EINVAL;
import static io.rdma4j.fabric.FiErrno.FI_ENOENT;
import static io.rdma4j.fabric.FiErrno.FI_ENOMSG;
import static io.rdma4j.fabric.FiErrno.FI_EOPNOTSUPP;
import static io.rdma4j.fabric.FiErrno.FI_ETRUNC;

import io.rdma4j.fabric.Capability;
import io.rdma4j.fabric.EndpointOptions;
import io.rdma4j.fabric.FiAddr;
import io.rdma4j.fabric.Message;
import io.rdma4j.fabric.OpFlags;
import io.rdma4j.fabric.OperationKind;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

import org.agrona.concurrent.UnsafeBuffer;

/** Tagged messages of reliable datagram endpoints: which receive they go to, and what becomes of those that wait. */
final class FabricTaggedCases {
    private static final int PAGE = 4096;
    private static final long TAG = 0xfedc_ba98_7654_3210L;
    private static final Duration QUIET = Duration.ofMillis(30);
    private static final Duration PATIENCE = Duration.ofSeconds(8);
    private static final long ANY = FiAddr.UNSPEC;

    private FabricTaggedCases() {
    }

    static List<ConformanceCase> cases() {
        return List.of(
            ConformanceCase.of("rdm.taggedMessageOfAnySize", FabricTaggedCases::sizes),
            ConformanceCase.of("rdm.taggedReceivesMayIgnoreBits", FabricTaggedCases::ignore),
            ConformanceCase.of("rdm.taggedReceivesAreUsedInOrder", FabricTaggedCases::order),
            ConformanceCase.of("rdm.taggedMessagesWaitInOrder", FabricTaggedCases::unexpected),
            ConformanceCase.of("rdm.taggedMessagesWithData", FabricTaggedCases::data),
            ConformanceCase.of("rdm.taggedAndUntaggedAreApart", FabricTaggedCases::apart),
            ConformanceCase.of("rdm.taggedReceiveIsDirected", FabricTaggedCases::directed),
            ConformanceCase.of("rdm.taggedReceiveIsTakenBack", FabricTaggedCases::cancel),
            ConformanceCase.of("rdm.taggedMessageIsLookedAtClaimedDiscarded", FabricTaggedCases::search),
            ConformanceCase.of("rdm.taggedSenderStopsAtTheWindow", FabricTaggedCases::window),
            ConformanceCase.of("rdm.deliveryIsToldWhenAReceiveHasIt", FabricTaggedCases::delivery),
            ConformanceCase.of("rdm.oneBufferTakesManyMessages", FabricTaggedCases::many),
            ConformanceCase.of("rdm.taggedAtRandom", FabricTaggedCases::random).within(Duration.ofSeconds(40)),
            ConformanceCase.of("rdm.taggedWithoutTheCapabilityIsRefused", FabricTaggedCases::notNegotiated));
    }

    /** Two peers with memory, and what is done with it. */
    private static final class Two {
        final ConformanceEnv env;
        final PeerGroup group;
        final Peer near;
        final Peer far;
        final FabricMemory from;
        final FabricMemory to;

        Two(final ConformanceEnv env, final UnaryOperator<EndpointOptions> options) {
            this.env = env;
            group = PeerGroup.reliable(env).wishing(hints -> hints.capabilities(Capability.TAGGED, Capability.MSG,
                Capability.SOURCE, Capability.DIRECTED_RECV, Capability.MULTI_RECV));
            near = group.join(options);
            far = group.join(options);
            from = near.buffer(16 * PAGE);
            to = far.buffer(16 * PAGE);
            // Who is not in the vector when a message comes has no name.
            far.to(near);
        }

        Two(final ConformanceEnv env) {
            this(env, options -> options);
        }

        void send(final int length, final long tag) {
            near.post(() -> near.endpoint().tagged().send(from.at(0), length, from.region(), near.to(far), tag, tag),
                "send with tag");
            near.next().expect(tag, OperationKind.TAGGED_SEND);
            env.moved(length);
        }

        void receive(final long source, final long tag, final long ignore, final long context) {
            far.post(() -> far.endpoint().tagged().receive(
                to.at(0), 16 * PAGE, to.region(), source, tag, ignore, context), "receive with tag");
        }

        FabricWc gets(final long context, final int length, final long tag) {
            return far.next().expect(context, OperationKind.TAGGED_RECEIVE).expectLength(length).expectTag(tag)
                .expectSource(far.to(near));
        }

        FabricWc search(final long tag, final long ignore, final long context, final long flags) {
            final Message message =
                new Message(1).add(to.at(0), PAGE, to.region()).tag(tag).ignore(ignore).context(context);
            far.post(() -> far.endpoint().tagged().receiveMessage(message, flags), "look for a message");
            return far.next();
        }

        /** Until it is there: the sender knows of it before. */
        FabricWc arrives(final long tag, final long ignore, final long context, final long flags) {
            final long deadline = System.nanoTime() + env.patience(PATIENCE).toNanos();
            FabricWc wc = search(tag, ignore, context, flags);
            while (wc.errno() == FI_ENOMSG) {
                Check.that(System.nanoTime() - deadline < 0, "a message that was sent does not come; %s",
                    far.endpoint());
                LockSupport.parkNanos(20_000);
                wc = search(tag, ignore, context, flags);
            }
            return wc;
        }
    }

    private static void sizes(final ConformanceEnv env) {
        final Two two = new Two(env);
        for (final int wanted : new int[] {0, 1, 63, 64, 65, 128, 129, 1000, PAGE, 3 * PAGE + 1}) {
            final int length = two.near.atMost(wanted);
            two.from.fill(wanted, 0, length);
            two.to.guard();
            two.receive(ANY, TAG + wanted, 0, wanted);
            two.send(length, TAG + wanted);
            two.gets(wanted, length, TAG + wanted);
            two.to.expectPattern(wanted, 0, length, length + " bytes with a tag");
        }
        two.far.post(() -> two.far.endpoint().tagged().receive(two.to.at(0), 5, two.to.region(), ANY, 1, 0, 2),
            "receive");
        two.send(20, 1);
        final FabricWc wc = two.far.next().expectError(2, FI_ETRUNC).expectTag(1).expectLength(5);
        Check.equal(15L, wc.overflow(), "what did not fit of 20 bytes into 5");
    }

    private static void delivery(final ConformanceEnv env) {
        final Two two = new Two(env);
        for (final int wanted : new int[] {0, 64, 3 * PAGE}) {
            final int length = two.near.atMost(wanted);
            two.from.fill(wanted, 0, length);
            two.to.guard();
            final Message message = new Message(1).add(two.from.at(0), length, two.from.region())
                .peer(two.near.to(two.far)).tag(TAG).context(wanted);
            two.near.post(() -> two.near.endpoint().tagged().sendMessage(message, OpFlags.DELIVERY_COMPLETE), "send");
            two.near.none(QUIET, "no receive has it");
            two.receive(ANY, TAG, 0, 7);
            two.gets(7, length, TAG);
            two.near.next().expect(wanted, OperationKind.TAGGED_SEND);
            two.to.expectPattern(wanted, 0, length, length + " bytes that were delivered");
            two.near.post(() -> two.near.endpoint().sendMessage(message, OpFlags.DELIVERY_COMPLETE), "send");
            two.near.none(QUIET, "no receive has it, and that of a tag is none");
            two.far.post(() -> two.far.endpoint().receive(two.to.at(0), 16 * PAGE, two.to.region(), ANY, 8), "receive");
            two.far.next().expect(8, OperationKind.RECEIVE).expectLength(length);
            two.near.next().expect(wanted, OperationKind.SEND);
            env.moved(2L * length);
        }
        deliveryOfWhatIsCutOrDropped(two);
    }

    private static void deliveryOfWhatIsCutOrDropped(final Two two) {
        final Message message =
            new Message(1).add(two.from.at(0), 40, two.from.region()).peer(two.near.to(two.far)).tag(1).context(2);
        two.near.post(() -> two.near.endpoint().tagged().sendMessage(message, OpFlags.MATCH_COMPLETE), "send");
        two.far.post(() -> two.far.endpoint().tagged().receive(two.to.at(0), 5, two.to.region(), ANY, 1, 0, 3),
            "receive");
        two.far.next().expectError(3, FI_ETRUNC);
        two.near.next().expectError(2, FI_ETRUNC);
        two.near.post(() -> two.near.endpoint().tagged().sendMessage(
            message, OpFlags.MATCH_COMPLETE | OpFlags.INJECT), "send");
        two.near.none(QUIET, "nobody dropped it");
        two.arrives(1, 0, 4, OpFlags.PEEK | OpFlags.DISCARD).expect(4, OperationKind.TAGGED_RECEIVE);
        two.near.next().expect(2, OperationKind.TAGGED_SEND);
        // More than can wait for the peer's word at a time.
        for (int i = 0; i < 30; i++) {
            two.receive(ANY, 1, 0, i);
            two.near.post(() -> two.near.endpoint().tagged().sendMessage(message, OpFlags.DELIVERY_COMPLETE), "send");
            two.far.next().expect(i, OperationKind.TAGGED_RECEIVE);
        }
        for (int i = 0; i < 30; i++) {
            two.near.next().expect(2, OperationKind.TAGGED_SEND);
        }
    }

    private static void many(final ConformanceEnv env) {
        final Two two = new Two(env, options -> options.leastMultiReceive(PAGE));
        final Message whole = new Message(1).add(two.to.at(0), 3 * PAGE, two.to.region()).context(5);
        two.to.guard();
        final int[] lengths = {0, 64, 100, 2000, 1, PAGE, 3000};
        int at = 0;
        // The first one waits for the buffer.
        for (int i = 0; i < lengths.length; i++) {
            two.from.fill(i, 0, lengths[i]);
            final int length = lengths[i];
            two.near.post(() -> two.near.endpoint().send(two.from.at(0), length, two.from.region(),
                two.near.to(two.far), 3), "send");
            two.near.next().expect(3, OperationKind.SEND);
            if (i == 0) {
                two.far.post(() -> two.far.endpoint().receiveMessage(whole, OpFlags.MULTI_RECV), "receive many");
            }
            final FabricWc wc = two.far.next().expect(5, OperationKind.RECEIVE).expectLength(lengths[i])
                .expectSource(two.far.to(two.near)).expectBuffer(two.to.at(at), i == lengths.length - 1);
            two.to.expectPattern(i, at, lengths[i], wc.toString());
            at += lengths[i];
            env.moved(lengths[i]);
        }
        final Message small = new Message(1).add(two.to.at(0), PAGE - 1, two.to.region());
        FabricCheck.code(FI_EINVAL, two.far.endpoint().receiveMessage(small, OpFlags.MULTI_RECV), "too small");
        two.far.post(() -> two.far.endpoint().receiveMessage(whole, OpFlags.MULTI_RECV), "receive many");
        two.far.post(() -> two.far.endpoint().cancel(5), "take it back");
        two.far.next().expectError(5, FI_ECANCELED).expectBuffer(two.to.at(0), true);
    }

    private static void ignore(final ConformanceEnv env) {
        final Two two = new Two(env);
        two.receive(ANY, TAG, 0xff, 1);
        two.receive(ANY, 0, 0xffff_ffff_0000_0000L, 2);
        two.receive(ANY, 0, -1, 3);
        two.send(10, TAG ^ 0x55);
        two.gets(1, 10, TAG ^ 0x55);
        two.send(11, TAG);
        two.gets(3, 11, TAG);
        two.send(12, 0x77L << 32);
        two.gets(2, 12, 0x77L << 32);
    }

    private static void order(final ConformanceEnv env) {
        final Two two = new Two(env);
        for (int round = 0; round < env.times(1, 10); round++) {
            two.receive(ANY, TAG, 0, 1);
            two.receive(ANY, 0, -1, 2);
            two.receive(two.far.to(two.near), TAG, 0, 3);
            two.receive(ANY, TAG, 1, 4);
            two.receive(ANY, TAG, 0, 5);
            for (int i = 1; i <= 5; i++) {
                two.send(i, TAG);
                two.gets(i, i, TAG);
            }
        }
    }

    private static void unexpected(final ConformanceEnv env) {
        final Two two = new Two(env);
        final long[] tags = {5, TAG, 5, 7};
        for (int i = 0; i < tags.length; i++) {
            two.from.fill(i, 0, 100 + i);
            two.send(100 + i, tags[i]);
        }
        two.arrives(7, 0, 0, OpFlags.PEEK);
        final long[][] receives = {{TAG, 0, 1}, {5, 0, 0}, {0, -1, 2}, {0, 0xf, 3}};
        for (final long[] one : receives) {
            final int which = (int) one[2];
            two.to.guard();
            two.receive(ANY, one[0], one[1], which);
            two.gets(which, 100 + which, tags[which]);
            two.to.expectPattern(which, 0, 100 + which, "message " + which);
        }
    }

    private static void data(final ConformanceEnv env) {
        final Two two = new Two(env);
        final UnsafeBuffer heap = new UnsafeBuffer(new byte[64]);
        for (int i = 0; i < 3; i++) {
            two.receive(ANY, 0, -1, i);
        }
        final long dest = two.near.to(two.far);
        two.near.post(() -> two.near.endpoint().tagged()
            .sendWithData(two.from.at(0), 33, two.from.region(), -2, dest, TAG, 1), "send with tag and data");
        two.near.next().expect(1, OperationKind.TAGGED_SEND);
        two.near.post(() -> two.near.endpoint().tagged().injectWithData(heap, 0, 34, 77, dest, TAG + 1), "inject");
        two.near.post(() -> two.near.endpoint().tagged().inject(heap, 0, 35, dest, TAG + 2), "inject");
        two.gets(0, 33, TAG).expectData(-2);
        two.gets(1, 34, TAG + 1).expectData(77);
        Check.that(!two.gets(2, 35, TAG + 2).hasData(), "data that nobody sent");
    }

    private static void apart(final ConformanceEnv env) {
        final Two two = new Two(env);
        two.far.receive(two.to, 0, 64, 1);
        two.send(8, 0);
        two.arrives(0, 0, 9, OpFlags.PEEK);
        two.far.none(QUIET, "a tagged message is for no other receive");
        two.receive(ANY, 0, -1, 2);
        two.gets(2, 8, 0);
        two.receive(ANY, 0, -1, 3);
        two.near.send(two.from, 0, 9, two.near.to(two.far), 4);
        two.near.next().expect(4, OperationKind.SEND);
        two.far.next().expect(1, OperationKind.RECEIVE).expectLength(9).expectTag(0);
        two.far.none(QUIET, "a message without a tag is for no tagged receive");
    }

    private static void directed(final ConformanceEnv env) {
        final Two two = new Two(env);
        final Peer third = two.group.join();
        final FabricMemory other = third.buffer(PAGE);
        for (int round = 0; round < env.times(1, 10); round++) {
            two.receive(two.far.to(third), 9, 0, 1);
            two.receive(two.far.to(two.near), 9, 0, 2);
            two.receive(two.far.to(third), 8, 1, 3);
            two.send(5, 9);
            two.gets(2, 5, 9);
            for (final int context : new int[] {1, 3}) {
                third.post(() -> third.endpoint().tagged()
                    .send(other.at(0), 6, other.region(), third.to(two.far), 9, 0), "send");
                third.next().expect(0, OperationKind.TAGGED_SEND);
                two.far.next().expect(context, OperationKind.TAGGED_RECEIVE).expectSource(two.far.to(third));
            }
        }
    }

    private static void cancel(final ConformanceEnv env) {
        final Two two = new Two(env);
        two.receive(ANY, TAG, 0, 1);
        two.receive(ANY, 0, -1, 2);
        two.receive(two.far.to(two.near), TAG, 0, 3);
        for (final int context : new int[] {2, 3}) {
            FabricCheck.code(0, two.far.endpoint().cancel(context), "cancel");
            two.far.next().expectError(context, FI_ECANCELED);
            FabricCheck.code(FI_ENOENT, two.far.endpoint().cancel(context), "canceling twice");
        }
        two.send(9, TAG);
        two.gets(1, 9, TAG);
    }

    private static void search(final ConformanceEnv env) {
        final Two two = new Two(env);
        two.search(TAG, 0, 1, OpFlags.PEEK).expectError(1, FI_ENOMSG);
        for (int round = 0; round < env.times(1, 10); round++) {
            for (int i = 0; i < 3; i++) {
                two.from.fill(i, 0, 50 + i);
                two.send(50 + i, TAG);
            }
            two.send(1, TAG + 1);
            two.arrives(TAG + 1, 0, 4, OpFlags.PEEK | OpFlags.DISCARD).expectLength(1);
            two.search(TAG, 0, 2, OpFlags.PEEK).expect(2, OperationKind.TAGGED_RECEIVE).expectLength(50)
                .expectTag(TAG).expectSource(two.far.to(two.near));
            two.search(TAG, 0, 100, OpFlags.PEEK | OpFlags.CLAIM).expectLength(50);
            two.search(TAG, 0, 101, OpFlags.PEEK | OpFlags.CLAIM).expectLength(51);
            two.receive(ANY, TAG, 0, 3);
            two.gets(3, 52, TAG);
            two.search(0, -1, 2, OpFlags.PEEK).expectError(2, FI_ENOMSG);
            two.search(0, 0, 99, OpFlags.CLAIM).expectError(99, FI_ENOMSG);
            two.to.guard();
            two.search(0, 0, 101, OpFlags.CLAIM | OpFlags.DISCARD).expectLength(51);
            two.to.expectGuard(0, PAGE, "a message that is dropped");
            two.search(0, 0, 100, OpFlags.CLAIM).expectLength(50);
            two.to.expectPattern(0, 0, 50, "a message that was claimed");
        }
        for (final long flags : new long[] {OpFlags.DISCARD, OpFlags.PEEK | OpFlags.CLAIM | OpFlags.DISCARD,
            OpFlags.PEEK | OpFlags.INJECT}) {
            FabricCheck.code(FI_EBADFLAGS, two.far.endpoint().tagged().receiveMessage(new Message(1), flags),
                "flags 0x" + Long.toHexString(flags));
        }
    }

    private static void window(final ConformanceEnv env) {
        final Two two = new Two(env, options -> options.window(4, 256));
        two.send(1, 1);
        int sent = 1;
        final Duration quiet = env.patience(Duration.ofMillis(200));
        long since = System.nanoTime();
        while (System.nanoTime() - since < quiet.toNanos()) {
            final int n = sent + 1;
            final int code = two.near.endpoint().tagged().send(
                two.from.at(0), n, two.from.region(), two.near.to(two.far), n, n);
            if (code == 0) {
                sent++;
                two.near.next().expect(n, OperationKind.TAGGED_SEND);
                since = System.nanoTime();
            } else {
                FabricCheck.code(FI_EAGAIN, code, "send number " + n);
                LockSupport.parkNanos(20_000);
            }
            two.group.progress();
            Check.that(sent < 32, "%d messages went to somebody who receives nothing and has room for 4", sent);
        }
        for (int n = sent; n > 0; n--) {
            two.receive(ANY, n, 0, n);
            two.gets(n, n, n);
        }
        two.receive(ANY, TAG, 0, 1);
        two.send(1, TAG);
        two.gets(1, 1, TAG);
    }

    /** Receives of all kinds and messages, against a list that is searched in order. */
    private static void random(final ConformanceEnv env) {
        final Two two = new Two(env);
        final List<long[]> posted = new ArrayList<>();
        final List<long[]> waiting = new ArrayList<>();
        for (int i = 0; i < env.times(40, 2_000); i++) {
            final long tag = (long) env.random().nextInt(3) << 60 | env.random().nextInt(3);
            if (env.random().nextBoolean() && waiting.size() < 8) {
                final long[] fits = first(posted, one -> (tag & ~one[1]) == one[0]);
                two.send(i % 500, tag);
                if (fits == null) {
                    waiting.add(new long[] {tag, i % 500});
                } else {
                    two.gets(fits[2], i % 500, tag);
                }
            } else if (posted.size() < 16) {
                receive(env, two, tag, i, posted, waiting);
            }
        }
    }

    private static void receive(
        final ConformanceEnv env, final Two two, final long tag, final long context, final List<long[]> posted,
        final List<long[]> waiting) {
        final long ignore = new long[] {0, 0, 3, -1, 3L << 60}[env.random().nextInt(5)];
        final long[] fits = first(waiting, one -> (one[0] & ~ignore) == (tag & ~ignore));
        if (fits != null) {
            two.arrives(fits[0], 0, -1, OpFlags.PEEK);
        }
        two.receive(env.random().nextBoolean() ? ANY : two.far.to(two.near), tag, ignore, context);
        if (fits == null) {
            posted.add(new long[] {tag & ~ignore, ignore, context});
        } else {
            two.gets(context, (int) fits[1], fits[0]);
        }
    }

    private static long[] first(final List<long[]> all, final Predicate<long[]> condition) {
        final long[] found = all.stream().filter(condition).findFirst().orElse(null);
        all.remove(found);
        return found;
    }

    private static void notNegotiated(final ConformanceEnv env) {
        final PeerGroup group = PeerGroup.reliable(env);
        final Peer near = group.join();
        final Peer far = group.join();
        final FabricMemory to = far.buffer(PAGE);
        FabricCheck.refused(FI_EOPNOTSUPP, () -> near.endpoint().tagged(), "tagged messages", "TAGGED");
        FabricCheck.code(FI_EOPNOTSUPP, far.endpoint().receiveContext(0)
            .receiveTagged(to.at(0), 8, to.region(), ANY, 0, 0, 0), "receive with tag");
        near.expectMessagesFlow(far);
    }
}
