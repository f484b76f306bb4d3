/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.rdm;

import io.rdma4j.RdmaException;
import io.rdma4j.base.Undo;
import io.rdma4j.fabric.EndpointOptions;
import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.cm.Peer;
import io.rdma4j.fabric.cm.PeerId;
import io.rdma4j.fabric.endpoint.RcLink;
import io.rdma4j.fabric.event.EndpointCounters;
import io.rdma4j.fabric.region.EndpointHost;

/** Makes ends of links, each with a connected endpoint, a queue and slots. For the thread that uses the endpoint. */
final class LinkMaker {
    /** RMA and atomics under way on one link: queue pairs for more would cost memory for each peer. */
    private static final int MOST_LINK_RMA = 16;

    private final Connections home;
    private final LinkTable links;
    private final RdmCore core;
    private final EndpointHost host;
    private final LinkQueues queues;
    private final SlotPool pool;
    private final int transmits;
    private final int receives;

    LinkMaker(
        final Connections home, final LinkTable links, final RdmCore core, final EndpointHost host,
        final EndpointOptions options, final LinkQueues queues, final SlotPool pool) {
        this.home = home;
        this.links = links;
        this.core = core;
        this.host = host;
        this.queues = queues;
        this.pool = pool;
        transmits = transmitsOf(options);
        receives = receivesOf(options);
    }

    /** Sends under way on a link, and RMA. */
    static int transmitsOf(final EndpointOptions options) {
        return Math.max(receivesOf(options), Math.min(MOST_LINK_RMA, options.transmitSize()));
    }

    static int receivesOf(final EndpointOptions options) {
        return options.windowSlots() + Channel.CONTROL_SLOTS;
    }

    /** Null for the peer of the endpoint itself. */
    LinkEnd open(final PeerId id, final Peer peer) {
        try (Undo undo = new Undo()) {
            final SlotArea area = pool.claim();
            undo.add(() -> pool.giveBack(area));
            final LinkQueues.Pair pair = queues.claim();
            undo.add(() -> queues.giveBack(pair));
            final int number = links.freeNumber();
            final RcLink made = RcLink.open(host, core.realm(),
                new EndpointOptions().completionQueues(pair.transmit(), pair.receive()).sizes(transmits, receives),
                EndpointCounters.none(), core.endpoint(), LinkEnd.arrivals(number), false);
            undo.add(made::close);
            final LinkEnd link = new LinkEnd(made, core, home, area, pair, number, id, peer);
            if (!link.channel().prepare()) {
                throw FabricException.of("open link").detail("%s takes no receives", made)
                    .errno(FiErrno.FI_EIO).build();
            }
            links.put(link);
            undo.forget();
            return link;
        } catch (final RdmaException e) {
            throw noRoom(FabricException.from("open link", e));
        } catch (final FabricException e) {
            throw noRoom(e);
        }
    }

    /** What a device has no more of it tells in several ways. */
    private static FabricException noRoom(final FabricException e) {
        return e.errno() != FiErrno.FI_EINVAL ? e : FabricException.of("open link")
            .detail("%s", e.getMessage()).errno(FiErrno.FI_ENOMEM).cause(e).build();
    }
}
