/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.engine;

import io.rdma4j.device.link.Port;
import io.rdma4j.device.wire.Lane;
import io.rdma4j.queues.Padded;

/**
 * The way of a connection's packets to its peer: looked up when a route or the attributes have changed, and each time
 * while there is none to a remote peer, as what it lacks, such as memory, may be there by now. Used under one lock of
 * its queue pair.
 */
final class PeerLane extends Padded {
    private final EngineContext context;
    private final QpAttributes attributes;
    private Lane lane;
    private boolean remote;
    private int epoch;
    private int changes = -1;

    PeerLane(EngineContext context, QpAttributes attributes) {
        this.context = context;
        this.attributes = attributes;
    }

    /** Whether the peer is reached by packets. */
    boolean isRemote() {
        refresh();
        return remote;
    }

    /** The way; null if there is none now. */
    Lane get() {
        refresh();
        return lane;
    }

    private void refresh() {
        final int now = context.link().epoch();
        if (now != epoch || changes != attributes.changes || (lane != null ? !lane.isOpen() : remote)) {
            epoch = now;
            changes = attributes.changes;
            final Port port = context.route(attributes.destGidHigh, attributes.destGidLow);
            final GidEntry source = context.gids().entry(attributes.sgidIndex);
            remote = port != null && port.isRemote();
            lane = remote && source != null ? port.lane(source.high(), source.low()) : null;
        }
    }

    void forget() {
        lane = null;
        changes = -1;
    }
}
