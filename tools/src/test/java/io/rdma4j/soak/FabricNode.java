/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.soak;

import io.rdma4j.fabric.AddressFormat;
import io.rdma4j.fabric.AddressVector;
import io.rdma4j.fabric.AddressedEndpoint;
import io.rdma4j.fabric.AvAttributes;
import io.rdma4j.fabric.CacheAttributes;
import io.rdma4j.fabric.Capability;
import io.rdma4j.fabric.CompletionQueue;
import io.rdma4j.fabric.Domain;
import io.rdma4j.fabric.EndpointOptions;
import io.rdma4j.fabric.EndpointType;
import io.rdma4j.fabric.Fabric;
import io.rdma4j.fabric.FabricInfo;
import io.rdma4j.fabric.Fabrics;
import io.rdma4j.fabric.Hints;
import io.rdma4j.verbs.RdmaContext;

import java.time.Duration;

/** A domain with a queue and a vector, for reliable datagrams. */
final class FabricNode implements AutoCloseable {
    private static final int QUEUE = 256;
    private static final int SIZES = 32;
    private static final Duration CONNECTS_IN = Duration.ofSeconds(10);

    final Fabric fabric;
    final Domain domain;
    final CompletionQueue cq;
    final AddressVector vector;

    FabricNode(final RdmaContext context, final CacheAttributes cache) {
        final FabricInfo info = Fabrics.getInfo(new Hints().context(context).endpointType(EndpointType.RDM)
            .addressFormat(AddressFormat.DEVICE).cache(cache).capabilities(Capability.MSG, Capability.TAGGED,
            Capability.RMA, Capability.ATOMIC, Capability.SOURCE, Capability.DIRECTED_RECV)).get(0);
        fabric = Fabrics.open(info);
        domain = fabric.openDomain(info);
        cq = domain.openCompletionQueue(QUEUE);
        vector = domain.openAddressVector(new AvAttributes());
    }

    AddressedEndpoint endpoint() {
        return domain.openAddressedEndpoint(new EndpointOptions().completionQueue(cq).addressVector(vector)
            .sizes(SIZES, SIZES).connectTimeout(CONNECTS_IN));
    }

    @Override
    public void close() {
        vector.close();
        cq.close();
        domain.close();
        fabric.close();
    }
}
