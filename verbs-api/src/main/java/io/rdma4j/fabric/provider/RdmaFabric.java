/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.provider;

import io.rdma4j.fabric.Domain;
import io.rdma4j.fabric.EqAttributes;
import io.rdma4j.fabric.EventQueue;
import io.rdma4j.fabric.Fabric;
import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.FabricInfo;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.PassiveEndpoint;
import io.rdma4j.fabric.event.FabricEventQueue;
import io.rdma4j.fabric.info.Discovery;
import io.rdma4j.fabric.region.OpenObjects;
import io.rdma4j.verbs.RdmaContext;

/** A fabric over one device. */
final class RdmaFabric implements Fabric {
    private final FabricInfo info;
    private final SharedDevice device;
    private final OpenObjects open = new OpenObjects("fabric");

    RdmaFabric(final FabricInfo info) {
        this.info = info;
        device = new SharedDevice(info.address(), info.context());
    }

    @Override
    public FabricInfo info() {
        return info;
    }

    @Override
    public Domain openDomain(final FabricInfo narrowed) {
        final String operation = "open domain";
        open.requireOpen(operation);
        if (narrowed == null) {
            throw invalid(operation, "info is null");
        }
        if (!Discovery.made(narrowed) || !narrowed.address().equals(info.address())
            || narrowed.context() != info.context()) {
            throw invalid(operation, "info is of %s, the fabric of %s", narrowed.address(), info.address());
        }
        final RdmaContext context = device.acquire();
        boolean done = false;
        try {
            final RdmaDomain domain = new RdmaDomain(this, narrowed, context, device.events());
            open.add(operation, "domain", domain);
            done = true;
            return domain;
        } finally {
            if (!done) {
                device.release();
            }
        }
    }

    void closed(final RdmaDomain domain) {
        try {
            device.release();
        } finally {
            open.remove(domain);
        }
    }

    @Override
    public EventQueue openEventQueue(final int size) {
        final String operation = "open event queue";
        if (size < 0) {
            throw invalid(operation, "size is %d, must be 0 or more", size);
        }
        final FabricEventQueue queue = new FabricEventQueue(this, size, open::remove);
        open.add(operation, "event queue", queue);
        return queue;
    }

    @Override
    public EventQueue openEventQueue(final EqAttributes attributes) {
        throw new UnsupportedOperationException();
    }

    @Override
    public PassiveEndpoint openPassiveEndpoint(
        final FabricInfo narrowed, final EventQueue queue, final String service) {
        throw new UnsupportedOperationException();
    }

    private static FabricException invalid(final String operation, final String format, final Object... values) {
        return FabricException.of(operation).detail(format, values).errno(FiErrno.FI_EINVAL).build();
    }

    @Override
    public boolean isClosed() {
        return open.isClosed();
    }

    @Override
    public void close() {
        open.close(() -> "");
    }

    @Override
    public String toString() {
        return "fabric of " + info.address() + (isClosed() ? ", closed" : "");
    }
}
