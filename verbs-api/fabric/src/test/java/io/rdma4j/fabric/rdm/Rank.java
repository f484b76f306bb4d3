/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.rdm;

import io.rdma4j.fabric.AddressVector;
import io.rdma4j.fabric.AddressedEndpoint;
import io.rdma4j.fabric.AvAttributes;
import io.rdma4j.fabric.Capability;
import io.rdma4j.fabric.EndpointOptions;
import io.rdma4j.fabric.EndpointType;
import io.rdma4j.fabric.Hints;
import io.rdma4j.fabric.MemoryRegion;
import io.rdma4j.fabric.MrAccess;
import io.rdma4j.fabric.MrAttributes;
import io.rdma4j.fabric.testing.TestNode;

import java.util.EnumSet;
import java.util.function.BiConsumer;

/** A process of a parallel program: an endpoint with its vector, and memory for all uses. */
final class Rank extends TestNode {
    static final int SIZE = 1 << 18;

    final AddressVector av;
    final AddressedEndpoint ep;
    final MemoryRegion region;

    Rank(
        final Hints hints, final EndpointOptions options, final AvAttributes vector,
        final BiConsumer<Rank, EndpointOptions> further) {
        super(hints.endpointType(EndpointType.RDM), SIZE);
        av = keep(domain.openAddressVector(vector));
        region = keep(domain.register(new MrAttributes().buffer(memory).access(
            info.capabilities().contains(Capability.RMA) ? EnumSet.allOf(MrAccess.class)
                : EnumSet.of(MrAccess.SEND, MrAccess.RECV)).requestedKey(77)));
        options.completionQueue(cq);
        further.accept(this, options);
        ep = domain.openAddressedEndpoint(options.addressVector(av));
    }

    /** What this one calls the other. */
    long knows(final Rank other) {
        return av.insert(other.ep.address());
    }

    @Override
    protected void passTime() {
        super.passTime();
        ((RdmEndpoint) ep).resources().links().lookSoon();
    }

    @Override
    public void close() {
        ep.close();
        super.close();
    }

    @Override
    public String toString() {
        return ep + ", " + super.toString();
    }
}
