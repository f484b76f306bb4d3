/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.rdm;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.fabric.EndpointOptions;
import io.rdma4j.fabric.completion.FabricCompletionQueue;
import io.rdma4j.fabric.endpoint.RcLink;
import io.rdma4j.fabric.event.EndpointCounters;
import io.rdma4j.fabric.region.EndpointHost;
import io.rdma4j.fabric.region.Realm;

import java.util.concurrent.TimeUnit;

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
            final FabricCompletionQueue queue = queues.claim();
            final int before = queue.cq().capacity();
            final Realm realm = host.openRealm(new byte[0]);
            final RcLink link = RcLink.open(host, realm,
                new EndpointOptions().completionQueue(queue).sizes(transmits, receives), EndpointCounters.none(), null,
                0, false);
            assertThat(queue.cq().capacity()).as("%s on %s", link, queues).isEqualTo(before);
            link.close();
            realm.release();
            queues.giveBack(queue);
        }
    }
}
