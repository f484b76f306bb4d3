/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.cm;

import io.rdma4j.base.Undo;
import io.rdma4j.fabric.AddressFormat;
import io.rdma4j.fabric.EndpointOptions;
import io.rdma4j.fabric.EndpointType;
import io.rdma4j.fabric.Fabric;
import io.rdma4j.fabric.FabricAddress;
import io.rdma4j.fabric.MsgEndpoint;
import io.rdma4j.fabric.endpoint.Endpoints;
import io.rdma4j.fabric.endpoint.Messages;
import io.rdma4j.fabric.info.CapabilityRules;
import io.rdma4j.fabric.name.NameResolver;
import io.rdma4j.fabric.region.EndpointHost;
import io.rdma4j.fabric.region.Realm;
import io.rdma4j.verbs.Gid;

import java.util.concurrent.locks.ReentrantLock;
import java.util.function.UnaryOperator;

/**
 * The MSG endpoints of a domain, as far as they are connected by addresses: they share one datagram port, which is
 * opened when the first one connects or accepts, and closed with the last one that did. Thread-safe.
 */
public final class MsgConnections {
    /** Answers that can wait: what is lost beyond is sent again. */
    private static final int RECEIVES = 128;

    private final EndpointHost host;
    private final Fabric fabric;
    private final UnaryOperator<UdEnd> wrapper;
    private final NameResolver resolver;
    private final Messages.Factory pieces;
    private final ReentrantLock lock = new ReentrantLock();
    private Realm realm;
    private ControlChannel channel;
    private int users;

    /**
     * For a domain.
     *
     * @param pieces of endpoints whose messages can have tags.
     * @param host   the domain.
     * @param fabric whose event queues are used.
     */
    public MsgConnections(final Messages.Factory pieces, final EndpointHost host, final Fabric fabric) {
        this(pieces, host, fabric, UnaryOperator.identity());
    }

    /** Datagrams go through what a test puts around the port. */
    MsgConnections(final EndpointHost host, final Fabric fabric, final UnaryOperator<UdEnd> wrapper) {
        this(null, host, fabric, wrapper);
    }

    private MsgConnections(
        final Messages.Factory pieces, final EndpointHost host, final Fabric fabric,
        final UnaryOperator<UdEnd> wrapper) {
        this.pieces = pieces;
        this.host = host;
        this.fabric = fabric;
        this.wrapper = wrapper;
        resolver = new NameResolver(host.info().addressFormat(), EndpointType.MSG);
    }

    /**
     * Opens an endpoint.
     *
     * @param options its queues, sizes and rights.
     * @return the endpoint; the caller owns it.
     * @throws io.rdma4j.fabric.FabricException as {@link Endpoints#openEndpoint(EndpointHost, EndpointOptions)}; also
     *                                          FI_EINVAL for an event queue of another fabric.
     */
    public MsgEndpoint open(final EndpointOptions options) {
        final boolean inPieces = CapabilityRules.needsPieces(host.info().capabilities());
        return Endpoints.openEndpoint(host, options, inPieces ? pieces : null,
            (endpoint, given) -> new MsgConnection(this, endpoint, given));
    }

    Fabric fabric() {
        return fabric;
    }

    ReentrantLock lock() {
        return lock;
    }

    /** Null if it may be. */
    String whyUnreachable(final Gid gid) {
        return host.context().whyUnreachable(gid);
    }

    FabricAddress resolve(final FabricAddress address) {
        final FabricAddress plain = address.decoded();
        return plain.format() == AddressFormat.DEVICE ? plain : resolver.toDevice(plain);
    }

    /** Under the lock. */
    ControlChannel acquire() {
        if (users == 0) {
            channel = open();
        }
        users++;
        return channel;
    }

    private ControlChannel open() {
        realm = host.openRealm(null);
        try (Undo undo = new Undo()) {
            undo.add(realm::release);
            final UdEnd port = wrapper.apply(UdPort.open(host, realm, ControlKeys.next(), RECEIVES));
            final ControlChannel opened = new ControlChannel(port, lock, System::nanoTime);
            undo.forget();
            return opened;
        }
    }

    /** Under the lock. */
    void release() {
        if (--users == 0) {
            try {
                channel.close();
            } finally {
                channel = null;
                realm.release();
            }
        }
    }
}
