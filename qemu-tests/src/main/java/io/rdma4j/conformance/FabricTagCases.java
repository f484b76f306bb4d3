/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.conformance;

import static io.rdma4j.fabric.FiErrno.FI_EAGAIN;
import static io.rdma4j.fabric.FiErrno.FI_ECANCELED;
import static io.rdma4j.fabric.FiErrno.FI_ECONNREFUSED;
import static io.rdma4j.fabric.FiErrno.FI_ENOENT;
import static io.rdma4j.fabric.FiErrno.FI_ENOMSG;
import static io.rdma4j.fabric.FiErrno.FI_ETRUNC;

import io.rdma4j.fabric.Capability;
import io.rdma4j.fabric.Domain;
import io.rdma4j.fabric.FiAddr;
import io.rdma4j.fabric.Message;
import io.rdma4j.fabric.OpFlags;
import io.rdma4j.fabric.OperationKind;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

import org.agrona.concurrent.UnsafeBuffer;

/** Tagged messages of connected endpoints. How they are matched {@link FabricTaggedCases} has in full. */
final class FabricTagCases {
    private static final int PAGE = 4096;
    private static final long TAG = 0xfedc_ba98_7654_3210L;
    private static final Duration QUIET = Duration.ofMillis(30);
    private static final Duration PATIENCE = Duration.ofSeconds(8);

    private FabricTagCases() {
    }

    static List<ConformanceCase> cases() {
        return List.of(
            ConformanceCase.of("fabric.taggedMessagesOfAnySize", FabricTagCases::sizes),
            ConformanceCase.of("fabric.taggedMessagesFindTheirReceives", FabricTagCases::match),
            ConformanceCase.of("fabric.taggedMessagesBothWaysAtOnce", FabricTagCases::bothWays),
            ConformanceCase.of("fabric.taggedMessagesAreLookedAtClaimedDiscarded", FabricTagCases::search),
            ConformanceCase.of("fabric.taggedSenderStopsAtTheWindow", FabricTagCases::window),
            ConformanceCase.of("fabric.taggedDeliveryIsToldWhenAReceiveHasIt", FabricTagCases::delivery),
            ConformanceCase.of("fabric.oneBufferTakesManyMessages", FabricTagCases::many),
            ConformanceCase.of("fabric.taggedEndpointsCanTakeReceivesBack", FabricTagCases::cancel),
            ConformanceCase.of("fabric.taggedEndpointsEndInOrder", FabricTagCases::end),
            ConformanceCase.of("fabric.taggedEndpointsRefuseOthers", FabricTagCases::others));
    }

    /** A connection, and memory on both sides. */
    private static final class Two {
        final ConformanceEnv env;
        final FabricSide near;
        final FabricSide far;
        final FabricPair pair;
        final FabricMemory from;
        final FabricMemory to;

        Two(final ConformanceEnv env) {
            this.env = env;
            pair = FabricPair.of(env, hints -> hints.capabilities(
                Capability.MSG, Capability.TAGGED, Capability.MULTI_RECV));
            near = pair.near();
            far = pair.far();
            from = pair.nearMemory(16 * PAGE);
            to = pair.farMemory(16 * PAGE);
        }

        int atMost(final int length) {
            return (int) Math.min(length, pair.info().endpointAttributes().maxMessageSize());
        }

        void send(final int length, final long tag) {
            near.post(() -> near.endpoint().tagged().send(from.at(0), length, from.region(), 0, tag, tag), "send");
            near.next().expect(tag, OperationKind.TAGGED_SEND);
            env.moved(length);
        }

        void receive(final long tag, final long ignore, final long context) {
            far.post(() -> far.endpoint().tagged().receive(
                to.at(0), 16 * PAGE, to.region(), FiAddr.UNSPEC, tag, ignore, context), "receive");
        }

        FabricWc gets(final long context, final int length, final long tag) {
            return far.next().expect(context, OperationKind.TAGGED_RECEIVE).expectLength(length).expectTag(tag);
        }

        FabricWc search(final long tag, final long context, final long flags) {
            final Message message = new Message(1).add(to.at(0), PAGE, to.region()).tag(tag).context(context);
            far.post(() -> far.endpoint().tagged().receiveMessage(message, flags), "look for a message");
            return far.next();
        }

        FabricWc arrives(final long tag, final long context, final long flags) {
            final long deadline = System.nanoTime() + env.patience(PATIENCE).toNanos();
            FabricWc wc = search(tag, context, flags);
            while (wc.errno() == FI_ENOMSG) {
                Check.that(System.nanoTime() - deadline < 0, "a message that was sent does not come; %s",
                    far.endpoint());
                LockSupport.parkNanos(20_000);
                wc = search(tag, context, flags);
            }
            return wc;
        }
    }

    private static void sizes(final ConformanceEnv env) {
        final Two two = new Two(env);
        for (final int wanted : new int[] {0, 1, 64, 128, 129, 1216, 1217, PAGE, 3 * PAGE + 1}) {
            final int length = two.atMost(wanted);
            two.pair.send(two.from, 3, two.to, 70, length);
            two.from.fill(wanted, 0, length);
            two.to.guard();
            two.receive(TAG + wanted, 0, wanted);
            two.send(length, TAG + wanted);
            two.gets(wanted, length, TAG + wanted);
            two.to.expectPattern(wanted, 0, length, length + " bytes with a tag");
        }
    }

    private static void delivery(final ConformanceEnv env) {
        final Two two = new Two(env);
        final int length = two.atMost(2 * PAGE);
        two.from.fill(1, 0, length);
        two.to.guard();
        final Message message =
            new Message(1).add(two.from.at(0), length, two.from.region()).tag(TAG).context(1);
        two.near.post(() -> two.near.endpoint().tagged().sendMessage(message, OpFlags.DELIVERY_COMPLETE), "send");
        two.near.none(QUIET, "no receive has it");
        two.receive(TAG, 0, 2);
        two.gets(2, length, TAG);
        two.near.next().expect(1, OperationKind.TAGGED_SEND);
        two.to.expectPattern(1, 0, length, length + " bytes that were delivered");
        two.near.post(() -> two.near.endpoint().sendMessage(message, OpFlags.DELIVERY_COMPLETE), "send");
        two.far.post(() -> two.far.endpoint().receive(two.to.at(0), 9, two.to.region(), 3), "receive");
        two.far.next().expectError(3, FI_ETRUNC);
        two.near.next().expectError(1, FI_ETRUNC);
    }

    private static void many(final ConformanceEnv env) {
        final Two two = new Two(env);
        two.to.guard();
        final Message whole = new Message(1).add(two.to.at(7), 1_000, two.to.region()).context(5);
        two.far.post(() -> two.far.endpoint().receiveMessage(whole, OpFlags.MULTI_RECV), "receive many");
        for (int i = 0; i < 5; i++) {
            two.from.fill(i, 0, 190);
            two.near.post(() -> two.near.endpoint().send(two.from.at(0), 190, two.from.region(), 3), "send");
            two.near.next().expect(3, OperationKind.SEND);
            two.far.next().expect(5, OperationKind.RECEIVE).expectLength(190)
                .expectBuffer(two.to.at(7 + 190 * i), i == 4);
            two.to.expectPattern(i, 7 + 190 * i, 190, "message " + i);
        }
    }

    private static void match(final ConformanceEnv env) {
        final Two two = new Two(env);
        final UnsafeBuffer heap = new UnsafeBuffer(new byte[8]);
        for (int round = 0; round < env.times(1, 10); round++) {
            two.receive(TAG, 0, 1);
            two.receive(TAG + 1, 3, 2);
            two.receive(0, -1, 3);
            two.receive(TAG, 0, 4);
            for (final int context : new int[] {1, 2, 3, 4}) {
                two.send(context, TAG);
                two.gets(context, context, TAG);
            }
            two.near.post(() -> two.near.endpoint().tagged().injectWithData(heap, 0, 5, -3, 0, 6), "inject");
            two.send(6, 7);
            two.receive(7, 0, 1);
            two.gets(1, 6, 7);
            two.receive(6, 0, 2);
            two.gets(2, 5, 6).expectData(-3);
        }
    }

    private static void bothWays(final ConformanceEnv env) {
        final Two two = new Two(env);
        for (int i = 0; i < env.times(5, 100); i++) {
            final int n = i;
            two.near.post(() -> two.near.endpoint().tagged().receive(
                two.from.at(PAGE), PAGE, two.from.region(), FiAddr.UNSPEC, n, 0, 1), "receive");
            two.receive(n, 0, 1);
            two.near.post(() -> two.near.endpoint().tagged().send(
                two.from.at(0), 50, two.from.region(), 0, n, 2), "send");
            two.far.post(() -> two.far.endpoint().tagged().send(
                two.to.at(0), 60, two.to.region(), 0, n, 2), "send");
            for (int k = 0; k < 2; k++) {
                final FabricWc near = two.near.next();
                final FabricWc far = two.far.next();
                near.expect(near.context(), near.kind())
                    .expectLength(near.context() == 1 ? 60 : 50);
                far.expect(far.context(), far.kind()).expectLength(far.context() == 1 ? 50 : 60);
            }
        }
    }

    private static void search(final ConformanceEnv env) {
        final Two two = new Two(env);
        two.search(TAG, 1, OpFlags.PEEK).expectError(1, FI_ENOMSG);
        two.send(50, TAG);
        two.send(51, TAG);
        two.send(1, 2);
        two.arrives(2, 4, OpFlags.PEEK | OpFlags.DISCARD).expectLength(1);
        two.search(TAG, 100, OpFlags.PEEK | OpFlags.CLAIM).expectLength(50);
        two.receive(TAG, 0, 3);
        two.gets(3, 51, TAG);
        two.search(0, 100, OpFlags.CLAIM).expect(100, OperationKind.TAGGED_RECEIVE).expectLength(50);
        two.search(TAG, 1, OpFlags.PEEK).expectError(1, FI_ENOMSG);
    }

    private static void window(final ConformanceEnv env) {
        final Two two = new Two(env);
        two.send(1, 1);
        int sent = 1;
        final Duration quiet = env.patience(Duration.ofMillis(200));
        long since = System.nanoTime();
        while (System.nanoTime() - since < quiet.toNanos()) {
            final int n = sent + 1;
            final int code = two.near.endpoint().tagged().send(two.from.at(0), n, two.from.region(), 0, n, n);
            if (code == 0) {
                sent++;
                two.near.next().expect(n, OperationKind.TAGGED_SEND);
                since = System.nanoTime();
            } else {
                FabricCheck.code(FI_EAGAIN, code, "send number " + n);
                two.far.ready();
                two.near.ready();
            }
            Check.that(sent < 1000, "%d messages went to somebody who receives nothing", sent);
        }
        for (int n = sent; n > 0; n--) {
            two.receive(n, 0, n);
            two.gets(n, n, n);
        }
        two.pair.expectMessagesFlow();
    }

    private static void cancel(final ConformanceEnv env) {
        final Two two = new Two(env);
        two.receive(TAG, 0, 1);
        two.far.post(() -> two.far.endpoint().receive(two.to.at(0), 8, two.to.region(), 2), "receive");
        two.receive(TAG, 0, 3);
        for (final int context : new int[] {1, 2}) {
            FabricCheck.code(0, two.far.endpoint().cancel(context), "cancel");
            two.far.next().expectError(context, FI_ECANCELED);
            FabricCheck.code(FI_ENOENT, two.far.endpoint().cancel(context), "canceling twice");
        }
        two.send(9, TAG);
        two.gets(3, 9, TAG);
    }

    /** What is posted is told of, and nothing comes afterwards. */
    private static void end(final ConformanceEnv env) {
        final Two two = new Two(env);
        two.send(5, 5);
        two.arrives(5, 1, OpFlags.PEEK);
        two.receive(TAG, 0, 2);
        two.far.endpoint().close();
        two.far.next().expectError(2, FI_ECANCELED);
        Check.that(!two.far.ready(), "a completion more");
    }

    private static void others(final ConformanceEnv env) {
        final Domain without = FabricPair.domain(env, hints -> hints.capabilities(Capability.MSG));
        final Domain with = FabricPair.domain(env, hints -> hints.capabilities(Capability.MSG, Capability.TAGGED));
        final FabricSide plain = FabricSide.of(env, without);
        final FabricSide tagged = FabricSide.of(env, with);
        FabricCheck.refused(FI_ECONNREFUSED, () -> plain.endpoint().connect(tagged.endpoint().name()), "with tags");
        FabricCheck.refused(FI_ECONNREFUSED, () -> tagged.endpoint().connect(plain.endpoint().name()), "without");
    }
}
