/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.benchmarks.roundtrip;

import io.rdma4j.benchmarks.harness.Patience;
import io.rdma4j.fabric.AddressVector;
import io.rdma4j.fabric.AddressedEndpoint;
import io.rdma4j.fabric.AvAttributes;
import io.rdma4j.fabric.EndpointOptions;
import io.rdma4j.fabric.EndpointType;
import io.rdma4j.fabric.FabricAddress;
import io.rdma4j.fabric.Hints;
import io.rdma4j.fabric.MrAccess;
import io.rdma4j.fabric.MrMode;
import io.rdma4j.verbs.RdmaContext;
import java.util.EnumSet;

/** A reliable datagram endpoint in a domain of its own, with its queues, its vector and registered memory. */
abstract class RdmNode extends FabricNode {
    private static final long KEY = 0x78;
    private static final EnumSet<MrMode> MODES =
        EnumSet.of(MrMode.ALLOCATED, MrMode.PROV_KEY, MrMode.VIRT_ADDR, MrMode.LOCAL);

    final AddressedEndpoint endpoint;
    private final AddressVector vector;

    RdmNode(
        final RdmaContext context, final Patience patience, final EndpointOptions options, final int bytes,
        final int queueSize, final int pollLimit) {
        super(new Hints().context(context).mrMode(MODES).endpointType(EndpointType.RDM), patience, bytes,
            access(KEY, MrAccess.SEND, MrAccess.RECV), queueSize, pollLimit);
        vector = domain.openAddressVector(new AvAttributes());
        endpoint = domain.openAddressedEndpoint(options.completionQueues(transmits, receives).addressVector(vector));
    }

    final FabricAddress address() {
        return endpoint.address();
    }

    final long insert(final FabricAddress address) {
        return vector.insert(address);
    }

    @Override
    final void closeEndpoint() {
        endpoint.close();
        vector.close();
    }
}
