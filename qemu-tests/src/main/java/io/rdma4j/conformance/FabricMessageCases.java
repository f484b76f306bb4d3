/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.conformance;

import static io.rdma4j.fabric.FiErrno.FI_EACCES;
import static io.rdma4j.fabric.FiErrno.FI_EAGAIN;
import static io.rdma4j.fabric.FiErrno.FI_EBADFD;
import static io.rdma4j.fabric.FiErrno.FI_ECANCELED;
import static io.rdma4j.fabric.FiErrno.FI_ECONNREFUSED;
import static io.rdma4j.fabric.FiErrno.FI_EDOMAIN;
import static io.rdma4j.fabric.FiErrno.FI_EINVAL;
import static io.rdma4j.fabric.FiErrno.FI_EISCONN;
import static io.rdma4j.fabric.FiErrno.FI_ENOCQ;
import static io.rdma4j.fabric.FiErrno.FI_ENOTCONN;
import static io.rdma4j.fabric.FiErrno.FI_EOPNOTSUPP;

import io.rdma4j.fabric.Capability;
import io.rdma4j.fabric.MsgEndpoint;
import io.rdma4j.fabric.EndpointOptions;
import io.rdma4j.fabric.MemoryRegion;
import io.rdma4j.fabric.MrAccess;
import io.rdma4j.fabric.MrMode;
import io.rdma4j.fabric.OperationKind;
import io.rdma4j.verbs.Feature;

import java.time.Duration;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.LongFunction;

/** Messages between endpoints: with descriptors, and without them through the cache. */
final class FabricMessageCases {
    private static final int PAGE = 4096;
    private static final int BIG = 1 << 20;

    private FabricMessageCases() {
    }

    static List<ConformanceCase> cases() {
        return List.of(
            ConformanceCase.of("fabric.messageOfAnySizeWithDescriptors", FabricMessageCases::sizes),
            ConformanceCase.of("fabric.messageOfAnySizeThroughTheCache", FabricMessageCases::cached),
            ConformanceCase.of("fabric.messageWithData", FabricMessageCases::withData).needs(Feature.SEND_WITH_IMM),
            ConformanceCase.of("fabric.messagesKeepTheirOrder", FabricMessageCases::order),
            ConformanceCase.of("fabric.messagesBothWaysAtRandom", FabricMessageCases::random),
            ConformanceCase.of("fabric.messageQueuesThatAreFullSaySo", FabricMessageCases::full),
            ConformanceCase.of("fabric.messageDescriptorsAreChecked", FabricMessageCases::descriptors),
            ConformanceCase.of("fabric.messageBuffersNeedDescriptorsWhereLocalIsSet", FabricMessageCases::local),
            ConformanceCase.of("fabric.endpointsConnectOnceAndByName", FabricMessageCases::connect),
            ConformanceCase.of("fabric.endpointsOfOtherKeysAreRefused", FabricMessageCases::authKeys),
            ConformanceCase.of("fabric.endpointsThatCloseGiveEverythingBack", FabricMessageCases::close),
            ConformanceCase.of("fabric.rmaIsRefusedWhereThereIsNone", FabricMessageCases::noRma));
    }

    private static void sizes(final ConformanceEnv env) {
        final FabricPair pair = FabricPair.messages(env);
        final FabricMemory from = pair.nearMemory(BIG + PAGE);
        final FabricMemory to = pair.farMemory(BIG + PAGE);
        for (final int length : new int[] {0, 1, 2, 63, 64, 4095, PAGE, PAGE + 1, 65_537, BIG}) {
            pair.send(from, 3, to, 70, length);
        }
    }

    private static void cached(final ConformanceEnv env) {
        final FabricPair pair = FabricPair.messages(env);
        final FabricMemory from = pair.near().memory(BIG + PAGE);
        final FabricMemory to = pair.far().memory(BIG + PAGE);
        for (int round = 0; round < 3; round++) {
            for (final int length : new int[] {0, 1, 64, PAGE + 1, 65_537, env.times(100_000, BIG)}) {
                pair.send(from, 3, to, 70, length);
            }
        }
    }

    private static void withData(final ConformanceEnv env) {
        final FabricPair pair = FabricPair.messages(env);
        final FabricMemory from = pair.nearMemory(PAGE);
        final FabricMemory to = pair.farMemory(PAGE);
        for (final int data : new int[] {0, 1, -1, 0x1234_5678}) {
            pair.far().post(() -> pair.far().endpoint().receive(to.at(0), 64, to.region(), 1), "receive");
            pair.near().post(() -> pair.near().endpoint().sendWithData(from.at(0), 64, from.region(), data, 2),
                "send with data");
            pair.near().next().expect(2, OperationKind.SEND);
            final FabricWc received = pair.far().next().expect(1, OperationKind.RECEIVE).expectLength(64);
            Check.that(received.hasData() && received.data() == data, "0x%x was sent, %s came", data, received);
            env.moved(64);
        }
        pair.far().post(() -> pair.far().endpoint().receive(to.at(0), 64, to.region(), 1), "receive");
        pair.near().post(() -> pair.near().endpoint().send(from.at(0), 64, from.region(), 2), "send");
        Check.that(!pair.far().next().hasData(), "data that nobody sent");
        pair.near().next();
    }

    private static void order(final ConformanceEnv env) {
        final FabricPair pair = FabricPair.messages(env);
        final int count = 24;
        final FabricMemory from = pair.nearMemory(count * 64);
        final FabricMemory to = pair.farMemory(count * 64);
        for (int round = 0; round < env.times(1, 10); round++) {
            to.guard();
            for (int i = 0; i < count; i++) {
                final int at = i * 64;
                pair.far().post(() -> pair.far().endpoint().receive(to.at(at), 64, to.region(), at), "receive");
            }
            for (int i = 0; i < count; i++) {
                final int at = i * 64;
                from.fill(round + i, at, 64);
                pair.near().post(() -> pair.near().endpoint().send(from.at(at), 64, from.region(), at), "send");
            }
            for (int i = 0; i < count; i++) {
                pair.near().next().expect(i * 64L, OperationKind.SEND);
                pair.far().next().expect(i * 64L, OperationKind.RECEIVE).expectLength(64);
                to.expectPattern(round + i, i * 64, 64, "message " + i);
                env.moved(64);
            }
        }
    }

    /** Sizes, places, directions, and whether there is a descriptor: all at random. */
    private static void random(final ConformanceEnv env) {
        final FabricPair pair = FabricPair.messages(env);
        final FabricMemory near = pair.nearMemory(16 * PAGE);
        final FabricMemory far = pair.farMemory(16 * PAGE);
        for (int i = 0; i < env.times(25, 600); i++) {
            final boolean forth = env.random().nextBoolean();
            final FabricSide sender = forth ? pair.near() : pair.far();
            final FabricSide receiver = forth ? pair.far() : pair.near();
            final FabricMemory from = forth ? near : far;
            final FabricMemory to = forth ? far : near;
            final int length = 1 + env.random().nextInt(8 * PAGE);
            final int start = env.random().nextInt(8 * PAGE);
            final MemoryRegion toDesc = env.random().nextBoolean() ? to.region() : null;
            final MemoryRegion fromDesc = env.random().nextBoolean() ? from.region() : null;
            final int number = i;
            to.guard();
            from.fill(i, 5, length);
            receiver.post(() -> receiver.endpoint().receive(to.at(start), length, toDesc, number), "receive");
            sender.post(() -> sender.endpoint().send(from.at(5), length, fromDesc, ~number), "send");
            sender.next().expect(~number, OperationKind.SEND);
            receiver.next().expect(number, OperationKind.RECEIVE).expectLength(length);
            to.expectOnly(i, start, length, "message " + i);
            env.moved(length);
        }
    }

    private static void full(final ConformanceEnv env) {
        final FabricPair pair = FabricPair.messages(env);
        final FabricMemory to = pair.farMemory(PAGE);
        final MsgEndpoint endpoint = pair.far().endpoint();
        int posted = 0;
        int code = 0;
        while (code == 0 && posted < 10_000) {
            code = endpoint.receive(to.at(0), 64, to.region(), posted);
            posted += code == 0 ? 1 : 0;
        }
        FabricCheck.code(FI_EAGAIN, code, "a full queue, after " + posted);
        Check.that(posted >= 32, "only %d receives fit, 32 were asked for", posted);
        final FabricMemory from = pair.nearMemory(PAGE);
        for (int i = 0; i < posted; i++) {
            pair.near().post(() -> pair.near().endpoint().send(from.at(0), 64, from.region(), 7), "send");
            pair.near().next().expect(7, OperationKind.SEND);
            pair.far().next().expect(i, OperationKind.RECEIVE);
            env.moved(64);
        }
        FabricCheck.code(0, endpoint.receive(to.at(0), 64, to.region(), 1), "a queue with room again");
    }

    private static void descriptors(final ConformanceEnv env) {
        final FabricPair pair = FabricPair.messages(env);
        final FabricMemory from = pair.near().memory(2 * PAGE);
        final FabricMemory far = pair.farMemory(PAGE);
        final MsgEndpoint endpoint = pair.near().endpoint();
        final MemoryRegion send = env.own(pair.near().domain().register(from.at(0), PAGE, Set.of(MrAccess.SEND), 0));
        final MemoryRegion receive =
            env.own(pair.near().domain().register(from.at(0), PAGE, Set.of(MrAccess.RECV), 0));
        FabricCheck.code(FI_EINVAL, endpoint.send(from.at(PAGE - 8), 9, send, 1), "one byte behind the region");
        FabricCheck.code(FI_EINVAL, endpoint.send(from.at(0) - 1, 9, send, 1), "one byte before the region");
        FabricCheck.code(FI_EINVAL, endpoint.send(from.at(0), -1, send, 1), "a negative length");
        FabricCheck.code(FI_EDOMAIN, endpoint.send(far.at(0), 8, far.region(), 1), "another domain's region");
        FabricCheck.code(FI_EACCES, endpoint.send(from.at(0), 8, receive, 1), "a region without SEND");
        FabricCheck.code(FI_EACCES, endpoint.receive(from.at(0), 8, send, 1), "a region without RECV");
        send.close();
        Check.that(endpoint.send(from.at(0), 8, send, 1) < 0, "a closed region was taken");
        pair.near().none(Duration.ofMillis(1), "nothing was accepted");
        pair.expectMessagesFlow();
    }

    private static void local(final ConformanceEnv env) {
        final FabricPair pair =
            FabricPair.of(env, hints -> hints.capabilities(Capability.MSG).demand(MrMode.LOCAL));
        final FabricMemory from = pair.nearMemory(PAGE);
        final FabricMemory to = pair.farMemory(PAGE);
        FabricCheck.code(FI_EINVAL, pair.near().endpoint().send(from.at(0), 8, null, 1), "a send without descriptor");
        FabricCheck.code(FI_EINVAL, pair.far().endpoint().receive(to.at(0), 8, null, 1), "a receive without one");
        pair.send(from, 0, to, 100, 500);
    }

    private static void connect(final ConformanceEnv env) {
        final FabricPair pair = FabricPair.unconnected(env, hints -> hints.capabilities(Capability.MSG));
        final FabricMemory memory = pair.nearMemory(64);
        final MsgEndpoint near = pair.near().endpoint();
        Check.that(!near.isConnected(), "it is connected from the start");
        FabricCheck.code(FI_ENOTCONN, near.send(memory.at(0), 8, memory.region(), 1), "a send before connecting");
        FabricCheck.refused(FI_EINVAL, () -> near.connect(null), "null");
        FabricCheck.refused(FI_EINVAL, () -> near.connect(new byte[0]), "no bytes");
        final byte[] name = pair.far().endpoint().name();
        final byte[] cut = Arrays.copyOf(name, name.length - 1);
        FabricCheck.refused(FI_EINVAL, () -> near.connect(cut), "a name that was cut off");
        final byte[] other = name.clone();
        other[0] ^= 1;
        FabricCheck.refused(FI_EINVAL, () -> near.connect(other), "bytes that are no name");
        pair.near().connect(pair.far());
        Check.that(near.isConnected(), "it is not connected");
        FabricCheck.refused(FI_EISCONN, () -> near.connect(name), "connecting twice");
        pair.expectMessagesFlow();
        FabricCheck.refused(FI_ENOCQ, () -> pair.near().domain().openEndpoint(new EndpointOptions()),
            "an endpoint without a queue");
    }

    private static void authKeys(final ConformanceEnv env) {
        final FabricPair pair = FabricPair.unconnected(env, hints -> hints.capabilities(Capability.MSG));
        final byte[] one = {1, 2, 3};
        final byte[] two = {1, 2, 4};
        final FabricSide near = FabricSide.of(env, pair.near().domain(), one);
        final FabricSide stranger = FabricSide.of(env, pair.far().domain(), two);
        FabricCheck.refused(FI_ECONNREFUSED, () -> near.endpoint().connect(stranger.endpoint().name()),
            "another authorization key", "key");
        FabricCheck.refused(FI_ECONNREFUSED, () -> near.endpoint().connect(pair.far().endpoint().name()),
            "none where there is one", "key");
        final FabricSide friend = FabricSide.of(env, pair.far().domain(), one);
        near.connect(friend);
        // The domain's own key is another one; for local use its regions will do.
        final FabricMemory from = pair.nearMemory(64);
        final FabricMemory to = friend.memory(64);
        from.fill(4, 0, 64);
        friend.post(() -> friend.endpoint().receive(to.at(0), 64, null, 1), "receive");
        near.post(() -> near.endpoint().send(from.at(0), 64, from.region(), 2), "send");
        near.next().expect(2, OperationKind.SEND);
        friend.next().expect(1, OperationKind.RECEIVE);
        to.expectPattern(4, 0, 64, "between ends with the same key");
        env.moved(64);
    }

    private static void close(final ConformanceEnv env) {
        final FabricPair pair = FabricPair.messages(env);
        final FabricMemory memory = pair.farMemory(PAGE);
        final MsgEndpoint endpoint = pair.far().endpoint();
        final Set<Long> waiting = new HashSet<>();
        for (long context = 1; context <= 10; context++) {
            final long number = context;
            pair.far().post(() -> endpoint.receive(memory.at(0), 64, memory.region(), number), "receive");
            waiting.add(context);
        }
        endpoint.close();
        endpoint.close();
        Check.that(endpoint.isClosed() && !endpoint.isConnected(), "%s is not closed", endpoint);
        for (int i = 0; i < 10; i++) {
            final FabricWc wc = pair.far().next();
            wc.expectError(wc.context(), FI_ECANCELED);
            Check.that(waiting.remove(wc.context()), "%s came twice, or of nothing", wc);
        }
        pair.far().none(Duration.ofMillis(1), "everything has come");
        final List<LongFunction<Integer>> calls = List.of(
            at -> endpoint.send(at, 8, memory.region(), 1), at -> endpoint.receive(at, 8, memory.region(), 1));
        calls.forEach(call ->
            FabricCheck.code(FI_EBADFD, call.apply(memory.at(0)), "a closed endpoint"));
        FabricCheck.refused(FI_EBADFD, () -> endpoint.connect(pair.near().endpoint().name()), "a closed endpoint");
    }

    private static void noRma(final ConformanceEnv env) {
        if (env.device().supports(Feature.RDMA_WRITE)) {
            throw env.skip("this device has RMA");
        }
        final FabricPair pair = FabricPair.messages(env);
        final FabricMemory memory = pair.nearMemory(PAGE);
        final MsgEndpoint endpoint = pair.near().endpoint();
        final long at = memory.at(0);
        final MemoryRegion desc = memory.region();
        FabricCheck.code(FI_EOPNOTSUPP, endpoint.write(at, 8, desc, 0, 1, 1), "write");
        FabricCheck.code(FI_EOPNOTSUPP, endpoint.read(at, 8, desc, 0, 1, 1), "read");
        FabricCheck.code(FI_EOPNOTSUPP, endpoint.writeWithData(at, 8, desc, 5, 0, 1, 1), "write with data");
        FabricCheck.code(FI_EOPNOTSUPP, endpoint.fetchAdd(at, desc, 1, 0, 1, 1), "fetch and add");
        FabricCheck.code(FI_EOPNOTSUPP, endpoint.compareSwap(at, desc, 1, 2, 0, 1, 1), "compare and swap");
        pair.expectMessagesFlow();
    }
}
