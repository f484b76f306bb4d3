/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.conformance;

import static io.rdma4j.fabric.FiErrno.FI_EBUSY;
import static io.rdma4j.fabric.FiErrno.FI_ECANCELED;
import static io.rdma4j.fabric.FiErrno.FI_EDOMAIN;
import static io.rdma4j.fabric.FiErrno.FI_ENOENT;
import static io.rdma4j.fabric.FiErrno.FI_ENOMSG;
import static io.rdma4j.fabric.FiErrno.FI_ENOPROTOOPT;
import static io.rdma4j.fabric.FiErrno.FI_EOPNOTSUPP;

import io.rdma4j.fabric.Capability;
import io.rdma4j.fabric.Domain;
import io.rdma4j.fabric.EndpointOption;
import io.rdma4j.fabric.FiAddr;
import io.rdma4j.fabric.Message;
import io.rdma4j.fabric.MrAccess;
import io.rdma4j.fabric.MsgEndpoint;
import io.rdma4j.fabric.OpFlags;
import io.rdma4j.fabric.OperationKind;
import io.rdma4j.fabric.SharedReceiveContext;
import io.rdma4j.fabric.SharedReceiveOptions;

import java.time.Duration;
import java.util.List;

/** Receives that several endpoints share: of reliable datagrams, and connected ones whose messages go in pieces. */
final class FabricSharedCases {
    private static final int PAGE = 4096;
    private static final Duration QUIET = Duration.ofMillis(30);
    private static final long ANY = FiAddr.UNSPEC;
    private static final int RECEIVES = 16;

    private FabricSharedCases() {
    }

    static List<ConformanceCase> cases() {
        return List.of(
            ConformanceCase.of("rdm.sharedReceivesServeAllTheirEndpoints", FabricSharedCases::serve),
            ConformanceCase.of("rdm.sharedReceivesAreMatchedByTagAndSource", FabricSharedCases::match),
            ConformanceCase.of("rdm.sharedBufferTakesMessagesOfAll", FabricSharedCases::many),
            ConformanceCase.of("rdm.sharedReceivesAreRefusedElsewhere", FabricSharedCases::refusals),
            ConformanceCase.of("fabric.sharedReceivesServeAllTheirConnections", FabricSharedCases::connections),
            ConformanceCase.of("fabric.sharedReceivesNeedMessagesInPieces", FabricSharedCases::plain));
    }

    /** A sender, and two endpoints that share receives, each with a queue of its own. */
    private static final class Three {
        final ConformanceEnv env;
        final PeerGroup group;
        final Peer near;
        final Peer one;
        final Peer two;
        /** An endpoint in the domain of these, whose queue is the context's. */
        final Peer beside;
        final SharedReceiveContext shared;
        final FabricMemory from;
        final FabricMemory to;

        Three(final ConformanceEnv env) {
            this.env = env;
            group = PeerGroup.reliable(env).wishing(hints -> hints.capabilities(Capability.TAGGED, Capability.MSG,
                Capability.SOURCE, Capability.DIRECTED_RECV, Capability.MULTI_RECV));
            near = group.join();
            beside = group.join();
            shared = env.own(beside.domain().openSharedReceiveContext(new SharedReceiveOptions()
                .completionQueue(beside.cq()).addressVector(beside.vector()).size(RECEIVES)));
            one = group.joinWithQueue(beside, options -> options.sharedReceiveContext(shared));
            two = group.joinWithQueue(beside, options -> options.sharedReceiveContext(shared));
            from = near.buffer(16 * PAGE);
            to = beside.buffer(16 * PAGE);
            beside.to(near);
        }

        void receive(final int at, final int length, final long context) {
            FabricCheck.code(0, shared.receive(to.at(at), length, to.region(), ANY, context), "receive");
        }

        void receiveTagged(final long source, final long tag, final long ignore, final long context) {
            FabricCheck.code(0, shared.receiveTagged(to.at(0), PAGE, to.region(), source, tag, ignore, context),
                "receive with tag");
        }

        void send(final Peer dest, final int seed, final int length) {
            from.fill(seed, 0, length);
            near.send(from, 0, length, near.to(dest), seed);
            near.next().expect(seed, OperationKind.SEND);
            env.moved(length);
        }

        void sendTagged(final Peer dest, final int length, final long tag) {
            near.post(() -> near.endpoint().tagged().send(from.at(0), length, from.region(), near.to(dest), tag, tag),
                "send with tag");
            near.next().expect(tag, OperationKind.TAGGED_SEND);
        }

        FabricWc gets(final Peer who, final long context, final int length) {
            return who.next().expect(context, OperationKind.RECEIVE).expectLength(length)
                .expectSource(beside.to(near));
        }
    }

    private static void serve(final ConformanceEnv env) {
        final Three three = new Three(env);
        for (int round = 0; round < env.times(2, 20); round++) {
            three.to.guard();
            for (int i = 0; i < 4; i++) {
                three.receive(4 * PAGE * i, 4 * PAGE, i);
            }
            final Peer[] dests = {three.two, three.one, three.one, three.two};
            final int[] lengths = {64, three.near.atMost(3 * PAGE + 1), 0, 1000};
            for (int i = 0; i < dests.length; i++) {
                three.send(dests[i], i, lengths[i]);
                three.gets(dests[i], i, lengths[i]);
                three.to.expectPattern(i, 4 * PAGE * i, lengths[i], "message " + i);
            }
            // Of one that waits, too; an endpoint beside them has its own.
            three.send(three.two, 5, 50);
            three.near.exchange(three.beside, three.from, three.to, 0, 64);
            three.two.none(QUIET, "no receive is posted");
            three.receive(0, PAGE, 6);
            three.gets(three.two, 6, 50);
        }
    }

    private static void match(final ConformanceEnv env) {
        final Three three = new Three(env);
        final Peer other = three.group.join();
        three.receiveTagged(three.beside.to(other), 7, 0, 1);
        three.receiveTagged(three.beside.to(three.near), 7, 0, 2);
        three.receiveTagged(ANY, 0, -1, 3);
        three.sendTagged(three.two, 9, 7);
        three.two.next().expect(2, OperationKind.TAGGED_RECEIVE).expectTag(7).expectLength(9);
        three.sendTagged(three.one, 10, 7);
        three.one.next().expect(3, OperationKind.TAGGED_RECEIVE).expectTag(7).expectLength(10);
        FabricCheck.code(0, three.shared.cancel(1), "cancel");
        three.beside.next().expectError(1, FI_ECANCELED);
        FabricCheck.code(FI_ENOENT, three.shared.cancel(1), "canceling twice");
        final Message look = new Message(1).add(three.to.at(0), PAGE, three.to.region()).tag(8).context(4);
        FabricCheck.code(0, three.shared.receiveTagged(look, OpFlags.PEEK), "look for a message");
        three.beside.next().expectError(4, FI_ENOMSG);
        three.sendTagged(three.one, 11, 8);
        three.receiveTagged(ANY, 8, 0, 5);
        three.one.next().expect(5, OperationKind.TAGGED_RECEIVE).expectTag(8).expectLength(11);
    }

    private static void many(final ConformanceEnv env) {
        final Three three = new Three(env);
        three.shared.setopt(EndpointOption.MIN_MULTI_RECV, 100);
        Check.equal(100L, three.shared.getopt(EndpointOption.MIN_MULTI_RECV), "FI_OPT_MIN_MULTI_RECV");
        for (int round = 0; round < env.times(2, 20); round++) {
            three.to.guard();
            final Message whole = new Message(1).add(three.to.at(7), 1_000, three.to.region()).context(5);
            FabricCheck.code(0, three.shared.receiveMessage(whole, OpFlags.MULTI_RECV), "receive many");
            for (int i = 0; i < 5; i++) {
                final Peer dest = i % 2 == 0 ? three.two : three.one;
                three.send(dest, i, 190);
                three.gets(dest, 5, 190).expectBuffer(three.to.at(7 + 190 * i), i == 4);
                three.to.expectPattern(i, 7 + 190 * i, 190, "message " + i);
            }
        }
    }

    private static void refusals(final ConformanceEnv env) {
        final Three three = new Three(env);
        FabricCheck.code(FI_EOPNOTSUPP,
            three.one.endpoint().receive(three.to.at(0), 8, three.to.region(), ANY, 1), "receive of an endpoint");
        FabricCheck.code(FI_EOPNOTSUPP, three.one.endpoint().tagged()
            .receive(three.to.at(0), 8, three.to.region(), ANY, 1, 0, 1), "receive with tag of an endpoint");
        FabricCheck.code(FI_EOPNOTSUPP, three.one.endpoint().cancel(1), "cancel of an endpoint");
        FabricCheck.refused(FI_EBUSY, three.shared::close, "endpoints are open", "2 endpoints");
        FabricCheck.refused(FI_EDOMAIN, () -> three.near.domain().openSharedReceiveContext(new SharedReceiveOptions()
            .completionQueue(three.beside.cq()).addressVector(three.near.vector())), "another queue", "domain");
        three.receive(0, 64, 3);
        three.group.leave(three.one);
        three.one.endpoint().close();
        three.send(three.two, 1, 32);
        three.gets(three.two, 3, 32);
        three.receive(0, 64, 4);
        three.group.leave(three.two);
        three.two.endpoint().close();
        three.shared.close();
        three.beside.next().expectError(4, FI_ECANCELED);
        three.near.expectMessagesFlow(three.beside);
    }

    private static void connections(final ConformanceEnv env) {
        final FabricSide[] near = new FabricSide[2];
        final FabricSide[] far = new FabricSide[2];
        final Domain senders = domain(env);
        final Domain receivers = domain(env);
        final SharedReceiveContext shared = env.own(receivers.openSharedReceiveContext(new SharedReceiveOptions()
            .completionQueue(env.own(receivers.openCompletionQueue(RECEIVES))).size(RECEIVES)));
        for (int i = 0; i < near.length; i++) {
            near[i] = FabricSide.of(env, senders);
            far[i] = FabricSide.of(env, receivers, options -> options.sharedReceiveContext(shared));
            near[i].connect(far[i]);
        }
        final FabricMemory from = near[0].memory(PAGE, 0, MrAccess.SEND);
        final FabricMemory to = far[0].memory(4 * PAGE, 0, MrAccess.RECV);
        final MsgEndpoint endpoint = far[0].endpoint();
        FabricCheck.code(FI_EOPNOTSUPP, endpoint.receive(to.at(0), 8, to.region(), 1), "receive of an endpoint");
        Check.equal((long) MsgEndpoint.MAX_PRIVATE_DATA, endpoint.getopt(EndpointOption.CM_DATA_SIZE),
            "FI_OPT_CM_DATA_SIZE");
        for (int round = 0; round < env.times(2, 20); round++) {
            to.guard();
            for (int i = 0; i < 4; i++) {
                FabricCheck.code(0, shared.receive(to.at(PAGE * i), PAGE, to.region(), ANY, i), "receive");
            }
            for (int i = 0; i < 4; i++) {
                final int which = i == 0 || i == 3 ? 1 : 0;
                final int length = 100 * i;
                from.fill(i, 0, length);
                near[which].post(() -> near[which].endpoint().send(from.at(0), length, from.region(), length), "send");
                near[which].next().expect(length, OperationKind.SEND);
                far[which].next().expect(i, OperationKind.RECEIVE).expectLength(length);
                to.expectPattern(i, PAGE * i, length, "message " + i);
                env.moved(length);
            }
        }
    }

    private static Domain domain(final ConformanceEnv env) {
        return FabricPair.domain(env, hints -> hints.capabilities(Capability.MSG, Capability.TAGGED));
    }

    private static void plain(final ConformanceEnv env) {
        final FabricSide side = FabricSide.of(env, FabricPair.domain(env, hints ->
            hints.capabilities(Capability.MSG)));
        Check.equal(0, side.domain().info().domainAttributes().maxEpSrxCtx(), "max_ep_srx_ctx");
        FabricCheck.refused(FI_EOPNOTSUPP, () -> side.domain().openSharedReceiveContext(
            new SharedReceiveOptions().completionQueue(side.cq())), "receives of the device", "TAGGED");
        FabricCheck.refused(FI_ENOPROTOOPT, () -> side.endpoint().getopt(EndpointOption.MIN_MULTI_RECV),
            "one message for each receive", "FI_OPT_MIN_MULTI_RECV");
        FabricCheck.refused(FI_ENOPROTOOPT, () -> side.endpoint().setopt(EndpointOption.CM_DATA_SIZE, 5),
            "it is read only", "FI_OPT_CM_DATA_SIZE");
    }
}
