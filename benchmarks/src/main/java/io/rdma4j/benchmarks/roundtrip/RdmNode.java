/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.benchmarks.roundtrip;

import io.rdma4j.benchmarks.harness.Patience;
import io.rdma4j.fabric.AddressVector;
import io.rdma4j.fabric.AddressedEndpoint;
import io.rdma4j.fabric.AvAttributes;
import io.rdma4j.fabric.CompletionQueue;
import io.rdma4j.fabric.CompletionReader;
import io.rdma4j.fabric.Domain;
import io.rdma4j.fabric.EndpointOptions;
import io.rdma4j.fabric.EndpointType;
import io.rdma4j.fabric.Fabric;
import io.rdma4j.fabric.FabricAddress;
import io.rdma4j.fabric.FabricInfo;
import io.rdma4j.fabric.Fabrics;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.Hints;
import io.rdma4j.fabric.MemoryRegion;
import io.rdma4j.fabric.MrAccess;
import io.rdma4j.fabric.MrAttributes;
import io.rdma4j.fabric.MrMode;
import io.rdma4j.queues.Padded;
import io.rdma4j.verbs.PinnedMemory;
import io.rdma4j.verbs.RdmaContext;
import java.util.EnumSet;

/** A reliable datagram endpoint in a domain of its own, with its queues, its vector and registered memory. */
abstract class RdmNode extends Padded implements CompletionReader {
    private static final long KEY = 0x78;

    final AddressedEndpoint endpoint;
    final PinnedMemory pinned;
    final MemoryRegion region;
    /** Of a completion that failed. */
    int errno;
    private final Patience patience;
    private final Fabric fabric;
    private final Domain domain;
    private final CompletionQueue transmits;
    private final CompletionQueue receives;
    private final AddressVector vector;
    private final int pollLimit;

    RdmNode(
        final RdmaContext context, final Patience patience, final EndpointOptions options, final int bytes,
        final int queueSize, final int pollLimit) {
        this.patience = patience;
        this.pollLimit = pollLimit;
        final EnumSet<MrMode> modes = EnumSet.of(MrMode.ALLOCATED, MrMode.PROV_KEY, MrMode.VIRT_ADDR, MrMode.LOCAL);
        final FabricInfo info = Fabrics.getInfo(
            new Hints().context(context).mrMode(modes).endpointType(EndpointType.RDM)).get(0);
        fabric = Fabrics.open(info);
        domain = fabric.openDomain(info);
        transmits = domain.openCompletionQueue(queueSize);
        receives = domain.openCompletionQueue(queueSize);
        vector = domain.openAddressVector(new AvAttributes());
        endpoint = domain.openAddressedEndpoint(options.completionQueues(transmits, receives).addressVector(vector));
        pinned = domain.allocate(bytes);
        // By its owner: of an address alone nobody knows whether it stays, and the kernel would have to copy.
        region = domain.register(new MrAttributes().buffer(pinned).access(MrAccess.SEND, MrAccess.RECV)
            .requestedKey(KEY));
    }

    final FabricAddress address() {
        return endpoint.address();
    }

    final long insert(final FabricAddress address) {
        return vector.insert(address);
    }

    static void require(final int code) {
        if (code != 0) {
            throw new IllegalStateException(FiErrno.name(code));
        }
    }

    final void progress() {
        progressTransmits();
        progressReceives();
    }

    final void progressTransmits() {
        progress(transmits);
    }

    final void progressReceives() {
        progress(receives);
    }

    private void progress(final CompletionQueue cq) {
        final int code = cq.read(this, pollLimit);
        if (code < 0 || errno != 0) {
            throw new IllegalStateException(FiErrno.name(code) + ", " + FiErrno.name(errno));
        }
        patience.check();
    }

    final void close() {
        endpoint.close();
        vector.close();
        transmits.close();
        receives.close();
        region.close();
        pinned.close();
        domain.close();
        fabric.close();
    }
}
