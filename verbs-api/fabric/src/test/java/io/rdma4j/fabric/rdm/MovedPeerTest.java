/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.rdm;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.fabric.Domain;
import io.rdma4j.fabric.FabricAddress;
import io.rdma4j.fabric.FiAddr;
import io.rdma4j.fabric.OperationKind;
import io.rdma4j.fabric.av.PeerAddress;
import io.rdma4j.fabric.av.PeerTable;
import io.rdma4j.fabric.cm.PeerId;
import io.rdma4j.fabric.completion.FabricCompletionQueue;
import io.rdma4j.fabric.event.EndpointCounters;

import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;

import org.agrona.concurrent.UnsafeBuffer;
import org.assertj.core.groups.Tuple;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Steps of a vector that learns where a peer is, taken by hand between those of an endpoint. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class MovedPeerTest {
    private static final long NAME = 5;
    private static final int TAG = 77;

    @RegisterExtension
    final World world = new World();

    private final ModelEnd sender = new ModelEnd(true, 1, 4, 256, 8);
    private final ModelEnd receiver = new ModelEnd(false, 1, 4, 256, 8);
    private final Vector vector = new Vector(receiver.channel.peer());

    /** With one peer, whose place is not the one that is in it at first. */
    private static final class Vector implements PeerTable {
        private final PeerId now;
        private boolean isFound;
        private boolean isResolving;

        Vector(final PeerId now) {
            this.now = now;
        }

        @Override
        public boolean find(final long fiAddr, final PeerAddress into) {
            into.set(now.gidHigh(), now.gidLow(), isFound ? now.qpn() : now.qpn() + 100, now.qkey(), 0);
            return true;
        }

        @Override
        public long source(final long gidHigh, final long gidLow, final int qpn) {
            return isFound && qpn == now.qpn() ? NAME : FiAddr.NOTAVAIL;
        }

        @Override
        public long source(final long gidHigh, final long gidLow, final int qpn, final int qkey) {
            return source(gidHigh, gidLow, qpn);
        }

        @Override
        public long nameOf(final long gidHigh, final long gidLow, final int qpn) {
            return source(gidHigh, gidLow, qpn);
        }

        @Override
        public boolean resolveAgain(final long fiAddr) {
            isResolving = true;
            return true;
        }

        @Override
        public long[] resolveAgain(final InetSocketAddress told) {
            isResolving = true;
            return new long[] {NAME};
        }

        @Override
        public boolean isResolving(final long fiAddr) {
            return isResolving && fiAddr == NAME;
        }

        @Override
        public int lifeOf(final long fiAddr) {
            return 1;
        }

        @Override
        public int moves() {
            return 0;
        }

        @Override
        public int rxCtxBits() {
            return 0;
        }

        @Override
        public Domain domain() {
            return null;
        }

        @Override
        public void use(final Object endpoint) {
            // It is not closed.
        }

        @Override
        public void unuse(final Object endpoint) {
            // It is not closed.
        }
    }

    private RdmReceiveContext context(final Rank rank) {
        final RdmReceiveContext context = new RdmReceiveContext(rank.domain.info(), 0, 8, 64,
            (FabricCompletionQueue) rank.cq, ((RdmEndpoint) rank.ep).resources().realm(), vector);
        context.reports(new ReceiveReports(null, EndpointCounters.none()));
        receiver.contexts[0] = context.matcher();
        return context;
    }

    private void send(final boolean tagged, final int number) {
        final UnsafeBuffer from = ModelEnd.area(1, 64).buffer();
        final SendOp op = sender.table.claimOp(OperationKind.SEND, number, true);
        op.flagsAndIndex = Header.flagsAndIndex(tagged ? Header.TAGGED : 0, 0);
        op.tag = TAG;
        op.add(from.addressOffset(), number, from.addressOffset(), 9, null, null);
        assertThat(sender.channel.outbound().start(op)).isZero();
        sender.wire.move(sender, receiver);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whatCameBeforeThePeerWasFoundGoesToItsReceivesInOrder(final boolean tagged) {
        final Rank rank = world.rank(world.device(""), World.options());
        final RdmReceiveContext context = context(rank);
        ModelEnd.connect(sender, receiver);
        for (int i = 0; i < 4; i++) {
            sender.wire.move(sender, receiver);
            receiver.wire.move(receiver, sender);
        }
        for (int i = 1; i <= 3; i++) {
            assertThat(tagged ? context.receiveTagged(rank.at(0), 64, rank.region, NAME, TAG, 0, i)
                : context.receive(rank.at(0), 64, rank.region, null, NAME, i)).isZero();
        }
        send(tagged, 11);
        send(tagged, 12);
        assertThat(receiver.got).as("it is somewhere else, as far as one knows").isEmpty();
        vector.isFound = true;
        context.follow();
        send(tagged, 13);
        assertThat(receiver.got).extracting(ModelEnd.Got::context, ModelEnd.Got::length)
            .containsExactly(tuple(1, 11), tuple(2, 12), tuple(3, 13));
    }

    private static Tuple tuple(final long context, final int length) {
        return Tuple.tuple(context, length);
    }

    /** Else its messages could come before {@link PeerTable#moves} tells that receives are to follow. */
    @Test
    void whoHasMovedIsAnsweredWhenAllCanSeeThat() {
        final Whereabouts whereabouts = new Whereabouts(vector);
        final PeerId id = receiver.channel.peer();
        final byte[] told = Whereabouts.told(FabricAddress.socket(new InetSocketAddress("127.0.0.1", 4711)));
        assertThat(whereabouts.isPlaced(id, told)).isFalse();
        vector.isFound = true;
        assertThat(whereabouts.isPlaced(id, told)).isFalse();
        vector.isResolving = false;
        assertThat(whereabouts.isPlaced(id, told)).isTrue();
        vector.isResolving = true;
        assertThat(whereabouts.isPlaced(id, told)).as("it was not asked for because of this peer").isTrue();
    }
}
