/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.provider;

import io.rdma4j.RdmaException;
import io.rdma4j.base.Cleanup;
import io.rdma4j.base.Undo;
import io.rdma4j.fabric.AddressVector;
import io.rdma4j.fabric.AddressedEndpoint;
import io.rdma4j.fabric.AvAttributes;
import io.rdma4j.fabric.AvType;
import io.rdma4j.fabric.CompletionQueue;
import io.rdma4j.fabric.Counter;
import io.rdma4j.fabric.CqAttributes;
import io.rdma4j.fabric.Domain;
import io.rdma4j.fabric.Endpoint;
import io.rdma4j.fabric.EndpointOptions;
import io.rdma4j.fabric.EndpointType;
import io.rdma4j.fabric.EventQueue;
import io.rdma4j.fabric.Fabric;
import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.FabricInfo;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.MemoryRegion;
import io.rdma4j.fabric.MrAccess;
import io.rdma4j.fabric.MrAttributes;
import io.rdma4j.fabric.MrMode;
import io.rdma4j.fabric.MsgEndpoint;
import io.rdma4j.fabric.RegistrationCache;
import io.rdma4j.fabric.SharedReceiveContext;
import io.rdma4j.fabric.SharedReceiveOptions;
import io.rdma4j.fabric.WaitObject;
import io.rdma4j.fabric.av.AddressVectors;
import io.rdma4j.fabric.av.AvHost;
import io.rdma4j.fabric.av.AvStores;
import io.rdma4j.fabric.cache.Adoptions;
import io.rdma4j.fabric.cache.RegistrationCaches;
import io.rdma4j.fabric.cm.MsgConnections;
import io.rdma4j.fabric.cm.DatagramDomain;
import io.rdma4j.fabric.completion.FabricCompletionQueue;
import io.rdma4j.fabric.datagram.DatagramEndpoint;
import io.rdma4j.fabric.endpoint.Endpoints;
import io.rdma4j.fabric.event.FabricCounter;
import io.rdma4j.fabric.event.FabricEventQueue;
import io.rdma4j.fabric.live.AvKind;
import io.rdma4j.fabric.rdm.PieceMessages;
import io.rdma4j.fabric.rdm.RdmEndpoint;
import io.rdma4j.fabric.rdm.SharedReceives;
import io.rdma4j.fabric.region.EndpointHost;
import io.rdma4j.fabric.region.MappedKeys;
import io.rdma4j.fabric.region.OpenObjects;
import io.rdma4j.fabric.region.PdLease;
import io.rdma4j.fabric.region.Realm;
import io.rdma4j.fabric.region.Regions;
import io.rdma4j.fabric.shared.SharedStores;
import io.rdma4j.verbs.PinnedMemory;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.RdmaContext;
import io.rdma4j.verbs.spi.ObjectPublisher;
import io.rdma4j.verbs.spi.PublishedObject;

import java.util.Set;

/** A domain: joins regions, endpoints, queues and counters of one device. */
final class RdmaDomain implements Domain, EndpointHost, AvHost {
    private static final String OPEN_ENDPOINT = "open endpoint";

    private final RdmaFabric fabric;
    private final FabricInfo info;
    private final RdmaContext context;
    private final AvStores stores;
    private final DeviceEvents events;
    private final OpenObjects open = new OpenObjects("domain");
    /** For the caches of all realms: addresses alone, without the object, are then enough to know whose they are. */
    private final Adoptions allocated = new Adoptions();
    private final Regions regions;
    private final MsgConnections connections;

    RdmaDomain(
        final RdmaFabric fabric, final FabricInfo info, final RdmaContext context, final DeviceEvents events) {
        this.fabric = fabric;
        this.info = info;
        this.context = context;
        stores = new SharedStores(info.endpointType());
        this.events = events;
        regions = new Regions(
            this, context, info, this::newPd,
            pd -> RegistrationCaches.create(pd, info.cacheAttributes(), allocated), open);
        connections = new MsgConnections(PieceMessages.FACTORY, this, fabric);
    }

    /** Where datagrams cannot leave from more than one of the device's domains, memory for them has to be there too. */
    private PdLease newPd() {
        return info.endpointType() == EndpointType.DGRAM && DatagramDomain.isNeeded(context)
            ? new PdLease(DatagramDomain.of(context), false) : new PdLease(context.allocatePd(), true);
    }

    @Override
    public FabricInfo info() {
        return info;
    }

    @Override
    public Domain domain() {
        return this;
    }

    @Override
    public RdmaContext context() {
        return context;
    }

    @Override
    public PinnedMemory allocate(final long length) {
        open.requireOpen("allocate memory");
        try {
            return known(context.allocate(length));
        } catch (final RdmaException e) {
            throw FabricException.from("allocate memory", e);
        }
    }

    private PinnedMemory known(final PinnedMemory memory) {
        try (Undo undo = new Undo()) {
            undo.add(memory::close);
            allocated.add(memory);
            undo.forget();
            return memory;
        }
    }

    @Override
    public MemoryRegion register(
        final long address, final long length, final Set<MrAccess> access, final long requestedKey) {
        return register(new MrAttributes().buffer(address, length).access(access).requestedKey(requestedKey));
    }

    @Override
    public MemoryRegion register(final MrAttributes attributes) {
        return regions.register(attributes);
    }

    @Override
    public long mapRaw(final long base, final byte[] rawKey) {
        return regions.mapRaw(base, rawKey);
    }

    @Override
    public void unmapKey(final long key) {
        regions.unmapKey(key);
    }

    @Override
    public void bind(final EventQueue queue) {
        if (!(queue instanceof FabricEventQueue) || ((FabricEventQueue) queue).fabric() != fabric) {
            throw FabricException.of("bind event queue").detail("%s is no queue of %s", queue, fabric)
                .errno(FiErrno.FI_EINVAL).hint("use one of Fabric.openEventQueue").build();
        }
        regions.bind((FabricEventQueue) queue);
    }

    @Override
    public MsgEndpoint openEndpoint(final EndpointOptions options) {
        open.requireOpen(OPEN_ENDPOINT);
        if (info.endpointType() != EndpointType.MSG) {
            throw otherKind("openAddressedEndpoint");
        }
        return connections.open(options);
    }

    @Override
    public CompletionQueue openCompletionQueue(final int size) {
        open.requireOpen("open completion queue");
        return Endpoints.openCompletionQueue(this, size);
    }

    @Override
    public AddressedEndpoint openAddressedEndpoint(final EndpointOptions options) {
        open.requireOpen(OPEN_ENDPOINT);
        return switch (info.endpointType()) {
            case MSG -> throw otherKind("openEndpoint");
            case DGRAM -> DatagramEndpoint.open(this, options);
            case RDM -> RdmEndpoint.open(this, options);
        };
    }

    @Override
    public SharedReceiveContext openSharedReceiveContext(final SharedReceiveOptions options) {
        final String operation = "open shared receive context";
        open.requireOpen(operation);
        final SharedReceives context = SharedReceives.open(this, options, open::remove);
        return Opened.keep(open, operation, "shared receive context", context, context::close);
    }

    private FabricException otherKind(final String method) {
        return FabricException.of(OPEN_ENDPOINT).detail("endpoints of %s are FI_EP_%s", this, info.endpointType())
            .errno(FiErrno.FI_EINVAL).hint("use Domain." + method + ", or ask for others with Hints.endpointType")
            .build();
    }

    @Override
    public PublishedObject publish(final AvType type, final int flags) {
        return ObjectPublisher.of(context).publish(AvKind.KIND, type.value(), flags);
    }

    @Override
    public AddressVector openAddressVector(final AvAttributes attributes) {
        open.requireOpen("open address vector");
        return AddressVectors.open(this, attributes);
    }

    @Override
    public CompletionQueue openCompletionQueue(final CqAttributes attributes) {
        open.requireOpen("open completion queue");
        return FabricCompletionQueue.open(this, attributes);
    }

    @Override
    public Counter openCounter() {
        return openCounter(WaitObject.UNSPEC);
    }

    @Override
    public Counter openCounter(final WaitObject waitObject) {
        final String operation = "open counter";
        open.requireOpen(operation);
        final FabricCounter counter = new FabricCounter(this, waitObject, open::remove);
        return Opened.keep(open, operation, "counter", counter, counter::close);
    }

    @Override
    public Fabric fabric() {
        return fabric;
    }

    @Override
    public boolean avAuthKeys() {
        return info.avAuthKeys();
    }

    @Override
    public AvStores stores() {
        return stores;
    }

    @Override
    public void opened(final AddressVector vector) {
        open.add("open address vector", "address vector", vector);
    }

    @Override
    public void closed(final AddressVector vector) {
        open.remove(vector);
    }

    @Override
    public RegistrationCache cache() {
        return info.needs(MrMode.ENDPOINT) ? null : regions.defaultRealm().cache();
    }

    @Override
    public Realm openRealm(final byte[] authKey) {
        return regions.openRealm(authKey);
    }

    @Override
    public MappedKeys mappedKeys() {
        return regions.mappedKeys();
    }

    @Override
    public void opened(final Endpoint endpoint) {
        open.add(OPEN_ENDPOINT, "endpoint", endpoint);
    }

    @Override
    public void closed(final Endpoint endpoint) {
        try {
            regions.endpointClosed(endpoint);
        } finally {
            open.remove(endpoint);
        }
    }

    @Override
    public void opened(final CompletionQueue queue) {
        open.add("open completion queue", "completion queue", queue);
    }

    @Override
    public void closed(final CompletionQueue queue) {
        open.remove(queue);
    }

    @Override
    public Subscription onAccessError(final QueuePair qp, final Runnable action) {
        return events.listen(qp, action);
    }

    @Override
    public boolean isClosed() {
        return open.isClosed();
    }

    @Override
    public void close() {
        if (!open.close(regions::othersOpen)) {
            return;
        }
        try {
            new Cleanup().run(regions::close).run(() -> fabric.closed(this)).throwIfFailed();
        } catch (final RdmaException e) {
            throw FabricException.from("close domain", e);
        }
    }

    @Override
    public String toString() {
        return "domain of " + info.address() + (isClosed() ? ", closed" : "");
    }
}
