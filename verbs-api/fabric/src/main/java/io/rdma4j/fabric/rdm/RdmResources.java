/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.rdm;

import io.rdma4j.RdmaException;
import io.rdma4j.base.Undo;
import io.rdma4j.fabric.AddressFormat;
import io.rdma4j.fabric.AddressVector;
import io.rdma4j.fabric.CompletionQueue;
import io.rdma4j.fabric.EndpointOptions;
import io.rdma4j.fabric.EndpointType;
import io.rdma4j.fabric.FabricAddress;
import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.av.PeerTable;
import io.rdma4j.fabric.cm.UdPort;
import io.rdma4j.fabric.completion.FabricCompletionQueue;
import io.rdma4j.fabric.completion.Failures;
import io.rdma4j.fabric.event.EndpointCounters;
import io.rdma4j.fabric.name.NameServer;
import io.rdma4j.fabric.name.Registration;
import io.rdma4j.fabric.region.EndpointHost;
import io.rdma4j.fabric.region.LocalMemory;
import io.rdma4j.fabric.region.Realm;

import java.security.SecureRandom;
import java.util.LinkedHashSet;
import java.util.Set;

/** What an endpoint is made of: opened in order, closed in reverse, also if opening it failed half-way. */
final class RdmResources {
    private static final String OPEN = "open endpoint";
    private static final SecureRandom RANDOM = new SecureRandom();
    static final int CONTROL_PIECES = 16;
    private static final int DATAGRAMS = 256;

    /** Closes all parts. */
    private final Undo undo = new Undo();
    private final EndpointHost host;
    private final AddressVector vector;
    private final Realm realm;
    private final Set<FabricCompletionQueue> queues = new LinkedHashSet<>();
    private final LinkQueues internal;
    private final UdPort port;
    private final RdmReceiveContext[] contexts;
    private final RdmCore core;
    private final Connections connections;
    private final Transmit transmit;
    private FabricAddress address;

    private RdmResources(final RdmEndpoint endpoint, final EndpointHost host, final EndpointOptions options) {
        this.host = host;
        try (Undo opening = new Undo()) {
            opening.add(this::release);
            vector = options.addressVector();
            final PeerTable table = (PeerTable) vector;
            table.use(endpoint);
            undo.add(() -> table.unuse(endpoint));
            final EndpointCounters counters = EndpointCounters.open(host.domain(), options.counters());
            undo.add(counters::close);
            realm = host.openRealm(options.authKey());
            undo.add(realm::release);
            internal = new LinkQueues(host, LinkMaker.transmitsOf(options), LinkMaker.receivesOf(options));
            undo.add(internal::close);
            port = UdPort.open(host, realm, RANDOM.nextInt() & Integer.MAX_VALUE, DATAGRAMS,
                FabricCompletionQueue.channelOf(host));
            undo.add(port::close);
            contexts = contexts(options, table);
            core = core(endpoint, options, table, counters);
            connections = connections(options);
            core.connections(connections);
            transmit = new Transmit(core, connections, table, new LocalMemory(realm, host.info()),
                options.selectiveCompletion(), host.info().endpointAttributes().maxMessageSize(),
                host.info().transmitAttributes());
            opening.forget();
        } catch (final RdmaException e) {
            throw FabricException.from(OPEN, e);
        }
    }

    /**
     * The endpoint is whole: others may know it, and whoever reads its queues go on with it, in another thread at once.
     */
    void begin(final RdmEndpoint endpoint, final EndpointOptions options) {
        try {
            address = publish(options.service());
            join(endpoint);
        } catch (final RdmaException e) {
            throw FabricException.from(OPEN, e);
        }
    }

    static RdmResources open(final RdmEndpoint endpoint, final EndpointHost host, final EndpointOptions options) {
        check(host, options);
        return new RdmResources(endpoint, host, options);
    }

    private static void check(final EndpointHost host, final EndpointOptions options) {
        if (options == null) {
            throw Failures.invalid(OPEN, "options is null");
        }
        RdmOptions.check(host, options);
    }

    private RdmReceiveContext[] contexts(final EndpointOptions options, final PeerTable table) {
        final SharedReceives shared = SharedReceives.of(host, options);
        if (shared != null) {
            final FabricCompletionQueue queue = FabricCompletionQueue.of(host, options.receiveQueue(), "receive");
            queues.add(queue);
            final RdmReceiveContext bound = shared.bind(queue);
            undo.add(shared::unbind);
            return new RdmReceiveContext[] {bound};
        }
        final CompletionQueue[] given = options.receiveContexts();
        final RdmReceiveContext[] made = new RdmReceiveContext[Math.max(1, given.length)];
        for (int i = 0; i < made.length; i++) {
            final CompletionQueue queue = given.length == 0 ? options.receiveQueue() : given[i];
            made[i] = new RdmReceiveContext(host.info(), i, options.receiveSize(), options.leastMultiReceive(),
                FabricCompletionQueue.of(host, queue, "receive"), realm, table);
            queues.add(made[i].queue());
        }
        return made;
    }

    private RdmCore core(
        final RdmEndpoint endpoint, final EndpointOptions options, final PeerTable table,
        final EndpointCounters counters) {
        final FabricCompletionQueue queue = FabricCompletionQueue.of(host, options.transmitQueue(), "transmit");
        queues.add(queue);
        final int pieces = options.transmitSize() + 2 * options.windowSlots() + CONTROL_PIECES;
        final SlotPool pieceMemory =
            new SlotPool(host, realm, pieces + 1, host.info().transmitAttributes().injectSize());
        undo.add(pieceMemory::close);
        final SendTable sends = new SendTable(pieceMemory.claim(), options.transmitSize(),
            host.info().transmitAttributes().iovLimit(), CONTROL_PIECES);
        return new RdmCore(endpoint, realm, table, internal, queue, counters, sends, contexts);
    }

    private Connections connections(final EndpointOptions options) {
        final SlotPool pool =
            new SlotPool(host, realm, LinkMaker.receivesOf(options), slotBytes(host, options));
        undo.add(pool::close);
        return new Connections(core, host, options, internal, pool, port,
            (PeerTable) vector);
    }

    /** A piece is a message for the device. */
    static int slotBytes(final EndpointHost host, final EndpointOptions options) {
        final long most = host.context().queryPort(1).maxMessageSize() - Header.LENGTH;
        return (int) Math.max(RdmOptions.LEAST_BYTES, Math.min(options.windowBytes(), most));
    }

    private void join(final RdmEndpoint endpoint) {
        for (final FabricCompletionQueue queue : queues) {
            queue.watch(port.cq());
            undo.add(() -> queue.unwatch(port.cq()));
            internal.wake(queue);
            undo.add(() -> internal.wakeNoMore(queue));
            queue.attach(endpoint);
            undo.add(() -> queue.detach(endpoint));
            // Who sleeps has not asked this endpoint's device queues for events.
            queue.wake();
        }
    }

    /** Tells its address in the domain's format. */
    private FabricAddress publish(final String service) {
        final FabricAddress device =
            FabricAddress.device(port.gid(), port.qpn(), port.qkey(), EndpointType.RDM);
        final AddressFormat format = host.info().addressFormat();
        final boolean bySocket = format == AddressFormat.SOCKADDR_IN || format == AddressFormat.SOCKADDR_IN6;
        if (bySocket || service != null) {
            final Registration registration = NameServer.register(device, service);
            undo.add(registration::close);
            connections.tell(socket(registration, format));
            return registration.address(format);
        }
        return format == AddressFormat.STR ? FabricAddress.text(device.toString()) : device;
    }

    /** By which others may have this endpoint in their vectors. */
    private static FabricAddress socket(final Registration registration, final AddressFormat format) {
        try {
            return registration.address(
                format == AddressFormat.SOCKADDR_IN6 ? AddressFormat.SOCKADDR_IN6 : AddressFormat.SOCKADDR_IN);
        } catch (final FabricException e) {
            // There is no address of IPv4.
            return registration.address(AddressFormat.SOCKADDR_IN6);
        }
    }

    int connections() {
        return connections.established();
    }

    Connections links() {
        return connections;
    }

    AddressVector vector() {
        return vector;
    }

    Realm realm() {
        return realm;
    }

    FabricAddress address() {
        return address;
    }

    RdmReceiveContext[] contexts() {
        return contexts;
    }

    RdmCore core() {
        return core;
    }

    Transmit transmit() {
        return transmit;
    }

    /** All links, with what is under way; the memory stays until {@link #release}. */
    void close() {
        for (final RdmReceiveContext context : contexts) {
            context.close();
        }
        try {
            connections.close();
        } finally {
            core.cancelAll();
        }
    }

    /** Each part, whatever happens to the others. */
    void release() {
        undo.close();
    }

    @Override
    public String toString() {
        return port.gid() + "/" + port.qpn() + ": " + core;
    }
}
