/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.fipingpong;

import io.rdma4j.fabric.Domain;
import io.rdma4j.fabric.Endpoint;
import io.rdma4j.fabric.EndpointOptions;
import io.rdma4j.fabric.MemoryRegion;
import io.rdma4j.fabric.MsgEndpoint;

/** An end that is connected: FI_EP_MSG. */
final class ConnectedEnd extends End {
    private final MsgEndpoint endpoint;

    ConnectedEnd(final Domain domain, final int room) {
        super(domain, room);
        endpoint = domain.openEndpoint(new EndpointOptions().completionQueue(queue()));
    }

    @Override
    Endpoint endpoint() {
        return endpoint;
    }

    @Override
    byte[] name() {
        return endpoint.name();
    }

    @Override
    void meet(final byte[] peer) {
        endpoint.connect(peer);
    }

    @Override
    int post(final long address, final int bytes, final MemoryRegion desc) {
        return endpoint.send(address, bytes, desc, 0);
    }

    @Override
    int postReceive(final long address, final int bytes, final MemoryRegion desc) {
        return endpoint.receive(address, bytes, desc, 0);
    }
}
