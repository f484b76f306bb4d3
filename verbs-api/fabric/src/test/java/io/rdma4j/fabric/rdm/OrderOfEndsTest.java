/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.rdm;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.fabric.Capability;
import io.rdma4j.fabric.Endpoint;
import io.rdma4j.fabric.EndpointOptions;
import io.rdma4j.fabric.FiAddr;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.Hints;
import io.rdma4j.fabric.Message;
import io.rdma4j.fabric.MrMode;
import io.rdma4j.fabric.MsgEndpoint;
import io.rdma4j.fabric.OpFlags;
import io.rdma4j.fabric.testing.Done;
import io.rdma4j.fabric.testing.TestNode;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Messages that end together, since their connection or their endpoint ends, do so in the order of their posts. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class OrderOfEndsTest {
    private static final int BATCH = 8;
    private static final int SIZE = 4096;

    @RegisterExtension
    final World world = new World();

    /** One side of a connection whose messages can have tags. */
    private static final class Side extends TestNode {
        final MsgEndpoint ep;

        Side(final Hints hints) {
            super(hints, SIZE);
            ep = domain.openEndpoint(new EndpointOptions().sizes(16, 16).completionQueue(cq));
        }

        @Override
        public void close() {
            ep.close();
            super.close();
        }
    }

    private Side side() {
        return world.keep(new Side(new Hints().context(world.device("")).mrMode(MrMode.ALLOCATED)
            .capabilities(Capability.MSG, Capability.TAGGED)));
    }

    private static void send(final TestNode node, final Endpoint ep, final long peer, final long context) {
        // Under way until the peer's application has it.
        final Message message = new Message(1).add(node.at(0), 8, null).peer(peer).context(context);
        node.post(() -> ep.sendMessage(message, OpFlags.DELIVERY_COMPLETE));
    }

    /** Several that succeed, so that places of operations are not used in the order in which they were made. */
    private static void exchange(
        final TestNode from, final Endpoint ep, final long peer, final TestNode to, final Endpoint other) {
        final Message receive = new Message(1).add(to.at(0), 8, null).peer(FiAddr.UNSPEC);
        for (int i = 0; i < BATCH; i++) {
            to.post(() -> other.receiveMessage(receive, 0));
            send(from, ep, peer, i);
        }
        for (int i = 0; i < BATCH; i++) {
            assertThat(from.next().errno()).isZero();
            to.next();
        }
    }

    private static List<Long> sendAll(final TestNode from, final Endpoint ep, final long peer) {
        for (long i = 0; i < BATCH; i++) {
            send(from, ep, peer, i);
        }
        from.progress();
        assertThat(from.done).isEmpty();
        return LongStream.range(0, BATCH).boxed().collect(Collectors.toList());
    }

    private static void assertEnd(final TestNode node, final int errno, final List<Long> contexts) {
        for (final long context : contexts) {
            final Done done = node.next();
            assertThat(done.context()).as(done.toString()).isEqualTo(context);
            assertThat(done.errno()).isEqualTo(errno);
        }
    }

    @Test
    void ofAConnectionWhosePeerGoes() {
        final Side a = side();
        final Side b = side();
        connect(a, b);
        final List<Long> posted = sendAll(a, a.ep, 0);
        b.ep.close();
        assertEnd(a, FiErrno.FI_ECONNRESET, posted);
    }

    private static void connect(final Side a, final Side b) {
        a.ep.connect(b.ep.name());
        b.ep.connect(a.ep.name());
        a.others.add(b);
        b.others.add(a);
        exchange(a, a.ep, 0, b, b.ep);
    }

    @Test
    void ofAConnectionThatIsClosed() {
        final Side a = side();
        final Side b = side();
        connect(a, b);
        final List<Long> posted = sendAll(a, a.ep, 0);
        a.ep.close();
        assertEnd(a, FiErrno.FI_ECANCELED, posted);
    }

    @Test
    void ofReliableDatagramsToAPeerThatGoes() {
        final Rank[] both = world.pair("");
        final Rank a = both[0];
        final Rank b = both[1];
        final long toB = a.knows(b);
        b.knows(a);
        exchange(a, a.ep, toB, b, b.ep);
        final List<Long> posted = sendAll(a, a.ep, toB);
        b.ep.close();
        assertEnd(a, FiErrno.FI_ECONNRESET, posted);
    }
}
