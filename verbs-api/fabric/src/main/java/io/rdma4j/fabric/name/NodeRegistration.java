/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.name;

import io.rdma4j.fabric.AddressFormat;
import io.rdma4j.fabric.FabricAddress;
import io.rdma4j.fabric.FiErrno;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.List;

/** One endpoint that this process has registered. */
final class NodeRegistration implements Registration {
    private final NameAgent agent;
    private final int service;
    private final FabricAddress device;

    NodeRegistration(final NameAgent agent, final int service, final FabricAddress device) {
        this.agent = agent;
        this.service = service;
        this.device = device;
    }

    @Override
    public int service() {
        return service;
    }

    @Override
    public FabricAddress device() {
        return device;
    }

    @Override
    public FabricAddress address(final AddressFormat format) {
        return switch (format) {
            case DEVICE -> device;
            case SOCKADDR_IN -> in();
            case SOCKADDR_IN6 -> in6();
            case STR -> FabricAddress.text(FabricAddress.socket(new InetSocketAddress(node(true), service)).toString());
        };
    }

    private FabricAddress in() {
        final InetAddress node = node(true);
        if (!(node instanceof Inet4Address)) {
            throw NameFailures.of("tell an endpoint's address", FiErrno.FI_EADDRNOTAVAIL, "put an address of IPv4 into "
                + NameSettings.ADDRESS + ", or use SOCKADDR_IN6", "service %d is reached at %s only, which is no %s",
                service, node.getHostAddress(), AddressFormat.SOCKADDR_IN);
        }
        return FabricAddress.socket(new InetSocketAddress(node, service));
    }

    private FabricAddress in6() {
        final InetAddress node = node(false);
        return node instanceof Inet4Address
            ? FabricAddress.parse("fi_sockaddr_in6://[::ffff:" + node.getHostAddress() + "]:" + service)
            : FabricAddress.socket(new InetSocketAddress(node, service));
    }

    /** Where others reach this node: what the service listens on, of this family first. */
    private InetAddress node(final boolean isIpv4) {
        final List<InetAddress> all = agent.settings().listen();
        final InetAddress node = all.stream().filter(one -> one instanceof Inet4Address == isIpv4).findFirst()
            .orElse(all.get(0));
        try {
            return node.isAnyLocalAddress() ? InetAddress.getLocalHost() : node;
        } catch (final UnknownHostException e) {
            // Without a name of its own nobody else reaches this node by one.
            return InetAddress.getLoopbackAddress();
        }
    }

    @Override
    public void close() {
        agent.unregister(this);
    }

    @Override
    public String toString() {
        return "service " + service + ": " + device;
    }
}
