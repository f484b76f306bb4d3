/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.rdm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.fabric.EndpointOptions;
import io.rdma4j.fabric.completion.FabricCompletionQueue;
import io.rdma4j.fabric.endpoint.RcLink;
import io.rdma4j.fabric.event.EndpointCounters;
import io.rdma4j.fabric.region.EndpointHost;
import io.rdma4j.fabric.region.Realm;
import io.rdma4j.hw.pvrdma.cmd.Command;
import io.rdma4j.verbs.pvrdma.EmulatedCommands;

import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Where links complete. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class LinkQueuesTest {
    @RegisterExtension
    final World world = new World();

    /** Growing waits until nobody can be polling: each of a thousand peers would wait so for its only link. */
    @ParameterizedTest
    @ValueSource(ints = {1, 16, 64, 200})
    void theFirstLinkHasRoomAsItIs(final int window) {
        final EndpointHost host = (EndpointHost) world.rank(world.device(""), World.options()).domain;
        final EndpointOptions options = World.options().window(window, 256);
        final int transmits = LinkMaker.transmitsOf(options);
        final int receives = LinkMaker.receivesOf(options);
        try (LinkQueues queues = new LinkQueues(host, transmits, receives)) {
            final LinkQueues.Pair pair = queues.claim();
            final int before = pair.transmit().cq().capacity();
            assertThat(pair.receive().cq().capacity()).isEqualTo(before);
            final Realm realm = host.openRealm(new byte[0]);
            final RcLink link = RcLink.open(host, realm,
                new EndpointOptions().completionQueues(pair.transmit(), pair.receive()).sizes(transmits, receives),
                EndpointCounters.none(), null, 0, false);
            assertThat(pair.transmit().cq().capacity()).as("%s on %s", link, queues).isEqualTo(before);
            assertThat(pair.receive().cq().capacity()).as("%s on %s", link, queues).isEqualTo(before);
            link.close();
            realm.release();
            queues.giveBack(pair);
        }
    }

    /** One that the device keeps: the others go. */
    @Test
    void allQueuesAreClosedAlsoIfOneCannotBe() {
        final Rank rank = world.rank(world.device(World.QEMU), World.options());
        final String before = World.objects(rank.context);
        final LinkQueues queues = new LinkQueues((EndpointHost) rank.domain, 1024, 1024);
        assertThat(queues.claim()).isNotSameAs(queues.claim());
        EmulatedCommands.refuseNext(rank.context, Command.DESTROY_CQ);
        assertThatThrownBy(queues::close).hasMessageContaining("DESTROY_CQ");
        assertThat(World.objects(rank.context)).isEqualTo(oneMore(before, "CQ"));
        rank.close();
        rank.context.close();
    }

    /** What wakes up who waits is made after the queue itself: without it there is no queue, until the next claim. */
    @Test
    void aQueueThatCannotBeWatchedIsNotThere() {
        final Rank rank = world.rank(world.device("max_cqe=1024"), World.options());
        try (LinkQueues queues = new LinkQueues((EndpointHost) rank.domain, 200, 77)) {
            queues.wake((FabricCompletionQueue) rank.cq);
            final LinkQueues.Pair first = queues.claim();
            final String before = World.objects(rank.context);
            EmulatedCommands.afterNext(rank.context, Command.CREATE_CQ,
                () -> EmulatedCommands.refuseNext(rank.context, Command.CREATE_CQ));
            assertThatThrownBy(queues::claim).hasMessageContaining("CREATE_CQ");
            assertThat(World.objects(rank.context)).isEqualTo(before);
            assertThat(queues.claim()).isNotSameAs(first);
            queues.wakeNoMore((FabricCompletionQueue) rank.cq);
        }
    }

    @Test
    void allSlotsAreGivenBackAlsoIfSomeCannotBe() {
        final Rank rank = world.rank(world.device(""), World.options());
        final String before = World.objects(rank.context);
        final EndpointHost host = (EndpointHost) rank.domain;
        final Realm realm = host.openRealm(null);
        final SlotPool pool = new SlotPool(host, realm, 4, 64);
        pool.claim();
        pool.claim();
        assertThat(World.objects(rank.context)).isEqualTo(oneMore(oneMore(before, "MR"), "MR"));
        EmulatedCommands.refuseNext(rank.context, Command.DESTROY_MR);
        assertThatThrownBy(pool::close).hasMessageContaining("DESTROY_MR");
        assertThat(World.objects(rank.context)).isEqualTo(oneMore(before, "MR"));
        pool.close();
        realm.release();
        assertThatThrownBy(rank::close).hasMessageContaining("DESTROY_PD");
        rank.close();
        rank.context.close();
    }

    private static String oneMore(final String objects, final String kind) {
        return Pattern.compile(kind + " (\\d+)").matcher(objects)
            .replaceFirst(found -> kind + " " + (Integer.parseInt(found.group(1)) + 1));
    }
}
