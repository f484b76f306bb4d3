/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.name;

import io.rdma4j.fabric.FabricAddress;
import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.FiErrno;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The name service of this node, which tells which endpoint a service is; as libfabric has one for its verbs provider
 * (prov/util/src/util_ns.c). Each user of a node has one: processes of the same user reach it by a socket in the file
 * system, and the kernel tells who they are. The first process that registers something serves, on a daemon thread of
 * its own; the others register there; when it ends the next one serves. What is registered lives as long as the
 * connection of its process. If {@code rdma4j.name.address} has addresses that other nodes reach, it listens there by
 * TCP at {@code rdma4j.name.port}, 19765, and anybody who reaches that can ask, and not register. Thread-safe.
 */
public final class NameServer {
    private static final Map<NameSettings, NameAgent> AGENTS = new ConcurrentHashMap<>();

    private NameServer() {
    }

    /**
     * Has others find an endpoint.
     *
     * @param device  its address in the device's own format.
     * @param service number or name of a service; null for any that is free.
     * @return to be closed with the endpoint.
     * @throws FabricException FI_EINVAL for null or nonsense, FI_ENODATA for a name that is not known, FI_EADDRINUSE
     *                         for a service that another endpoint has, FI_ETIMEDOUT if the service can neither be
     *                         served nor reached.
     */
    public static Registration register(final FabricAddress device, final String service) {
        if (device == null || device.decoded() != device) {
            throw NameFailures.of("register service", FiErrno.FI_EINVAL, "give Endpoint.address() of a domain with "
                + "addresses in the device's own format", "%s is no address in the device's own format", device);
        }
        device.qpn();
        return agent(NameSettings.now()).register(service == null ? 0 : number(service), device);
    }

    private static int number(final String service) {
        final ServiceRange range = ServiceRange.of(service, 1);
        if (range.isQueuePairs()) {
            throw NameFailures.of("register service", FiErrno.FI_EINVAL, "give a number from 1 to 65535",
                "'%s' is a queue pair, no service", service);
        }
        return range.number(0);
    }

    static NameAgent agent(final NameSettings settings) {
        return AGENTS.computeIfAbsent(settings, NameAgent::new);
    }
}
