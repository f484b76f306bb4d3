/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.fipingpong;

import io.rdma4j.fabric.AddressFormat;
import io.rdma4j.fabric.AddressVector;
import io.rdma4j.fabric.AddressedEndpoint;
import io.rdma4j.fabric.AvAttributes;
import io.rdma4j.fabric.Domain;
import io.rdma4j.fabric.Endpoint;
import io.rdma4j.fabric.EndpointOptions;
import io.rdma4j.fabric.FabricAddress;
import io.rdma4j.fabric.FiAddr;
import io.rdma4j.fabric.MemoryRegion;

import java.time.Duration;

/** An end that names its peer in an address vector: FI_EP_DGRAM and FI_EP_RDM. */
final class AddressedEnd extends End {
    private final AddressVector vector;
    private final AddressedEndpoint endpoint;
    private long peer = FiAddr.NOTAVAIL;

    AddressedEnd(final Domain domain, final int room, final Duration timeout) {
        super(domain, room);
        vector = domain.openAddressVector(new AvAttributes());
        endpoint = domain.openAddressedEndpoint(new EndpointOptions().completionQueue(queue()).addressVector(vector)
            .connectTimeout(timeout));
    }

    @Override
    Endpoint endpoint() {
        return endpoint;
    }

    @Override
    byte[] name() {
        return endpoint.address().bytes();
    }

    @Override
    void meet(final byte[] name) {
        peer = vector.insert(FabricAddress.of(AddressFormat.DEVICE, name));
    }

    @Override
    int post(final long address, final int bytes, final MemoryRegion desc) {
        return endpoint.send(address, bytes, desc, peer, 0);
    }

    @Override
    int postReceive(final long address, final int bytes, final MemoryRegion desc) {
        return endpoint.receive(address, bytes, desc, FiAddr.UNSPEC, 0);
    }

    @Override
    public void close() {
        endpoint.close();
        vector.close();
        super.close();
    }
}
