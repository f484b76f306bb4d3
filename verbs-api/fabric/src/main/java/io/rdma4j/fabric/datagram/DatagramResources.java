/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.datagram;

import io.rdma4j.RdmaException;
import io.rdma4j.base.Undo;
import io.rdma4j.fabric.AddressFormat;
import io.rdma4j.fabric.Endpoint;
import io.rdma4j.fabric.EndpointOptions;
import io.rdma4j.fabric.EndpointType;
import io.rdma4j.fabric.FabricAddress;
import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.FabricInfo;
import io.rdma4j.fabric.cache.RegionRoom;
import io.rdma4j.fabric.completion.OpRing;
import io.rdma4j.fabric.event.EndpointCounters;
import io.rdma4j.fabric.name.NameServer;
import io.rdma4j.fabric.name.Registration;
import io.rdma4j.fabric.region.EndpointHost;
import io.rdma4j.fabric.region.LocalMemory;
import io.rdma4j.fabric.region.Realm;
import io.rdma4j.verbs.QpOptions;
import io.rdma4j.verbs.QpType;
import io.rdma4j.verbs.QueuePair;

/** What an endpoint takes of its domain, and gives back, in that order, whatever fails. */
final class DatagramResources implements AutoCloseable {
    private final EndpointHost host;
    private final DatagramConfig config;
    private int sendRoom;
    private int receiveRoom;
    private HeaderMemory memory;
    private QueuePair qp;
    private Registration registration;
    private int key;
    private boolean closed;

    private DatagramResources(final EndpointHost host, final DatagramConfig config) {
        this.host = host;
        this.config = config;
    }

    static DatagramResources open(final EndpointHost host, final EndpointOptions options) {
        final Realm realm = host.openRealm(options.authKey());
        try (Undo undo = new Undo()) {
            undo.add(realm::release);
            final EndpointCounters counters = EndpointCounters.open(host.domain(), options.counters());
            undo.add(counters::close);
            final DatagramResources resources =
                new DatagramResources(host, DatagramConfig.of(host, options, realm, counters));
            // Closing them gives the realm and the counters back, too.
            undo.forget();
            undo.add(resources::close);
            resources.build();
            undo.forget();
            return resources;
        } catch (final RdmaException e) {
            throw FabricException.from(DatagramConfig.OPEN, e);
        }
    }

    private void build() {
        final FabricInfo info = host.info();
        config.transmit().reserve(config.sends());
        sendRoom = config.sends();
        config.receive().reserve(config.receives());
        receiveRoom = config.receives();
        key = DatagramConfig.newKey();
        memory = HeaderMemory.allocate(
            config.realm().pd(), config.receives(), (int) info.endpointAttributes().maxMessageSize());
        qp = RegionRoom.createQp(config.realm().pd(), new QpOptions().type(QpType.UD)
            .sendCq(config.transmit().cq()).receiveCq(config.receive().cq())
            .maxSendWr(config.options().transmitSize()).maxSendSge(info.transmitAttributes().iovLimit())
            .maxReceiveWr(config.options().receiveSize())
            .maxReceiveSge(info.receiveAttributes().iovLimit() + HeaderMemory.PARTS)
            .maxInline(info.transmitAttributes().injectSize()));
    }

    DatagramConfig config() {
        return config;
    }

    QueuePair qp() {
        return qp;
    }

    /** The queue key that the device compares. */
    int deviceKey() {
        return key ^ config.keyMask();
    }

    SendSide sends(final Endpoint endpoint) {
        final OpRing ring = new OpRing(endpoint, config.transmit(), config.options().transmitSize(),
            host.info().transmitAttributes().iovLimit(), config.counters());
        return new SendSide(qp, ring, config, host.info(), new LocalMemory(config.realm(), host.info()));
    }

    ReceiveSide receives(final Endpoint endpoint) {
        final OpRing ring = new OpRing(endpoint, config.receive(), config.options().receiveSize(),
            host.info().receiveAttributes().iovLimit(), config.counters());
        return new ReceiveSide(qp, ring, config, host.info(), new LocalMemory(config.realm(), host.info()), memory);
    }

    /** Makes it known, and tells its address in the domain's format. */
    FabricAddress publish() {
        final FabricAddress device =
            FabricAddress.device(qp.localAddress().gid(), qp.qpNumber(), key, EndpointType.DGRAM);
        final AddressFormat format = host.info().addressFormat();
        final boolean bySocket = format == AddressFormat.SOCKADDR_IN || format == AddressFormat.SOCKADDR_IN6;
        if (bySocket || config.options().service() != null) {
            registration = NameServer.register(device, config.options().service());
            return registration.address(format);
        }
        return format == AddressFormat.STR ? FabricAddress.text(device.toString()) : device;
    }

    /** Nobody shall find it any more. */
    private void unpublish() {
        if (registration != null) {
            registration.close();
        }
    }

    /** The queue pair, and what it wrote to. Harmless when called again. */
    void closeDevice() {
        try {
            unpublish();
        } finally {
            closeQueuePair();
        }
    }

    private void closeQueuePair() {
        // Kept for ever if the queue pair cannot be closed: one that lives may still write there.
        final HeaderMemory written = memory;
        memory = null;
        if (qp != null) {
            qp.close();
        }
        if (written != null) {
            written.close();
        }
    }

    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        try {
            closeDevice();
        } finally {
            config.transmit().giveBack(sendRoom);
            config.receive().giveBack(receiveRoom);
            config.counters().close();
            config.realm().release();
        }
    }
}
