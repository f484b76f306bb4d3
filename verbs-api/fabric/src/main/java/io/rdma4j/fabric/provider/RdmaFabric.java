/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.provider;

import io.rdma4j.base.Undo;
import io.rdma4j.fabric.Domain;
import io.rdma4j.fabric.EqAttributes;
import io.rdma4j.fabric.EventQueue;
import io.rdma4j.fabric.Fabric;
import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.FabricInfo;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.PassiveEndpoint;
import io.rdma4j.fabric.cm.PassiveListener;
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
        requireMine(operation, narrowed);
        final RdmaDomain domain = makeDomain(narrowed);
        return Opened.keep(open, operation, "domain", domain, domain::close);
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
        return openEventQueue(new EqAttributes().size(size));
    }

    @Override
    public EventQueue openEventQueue(final EqAttributes attributes) {
        final String operation = "open event queue";
        open.requireOpen(operation);
        final FabricEventQueue queue = FabricEventQueue.open(this, attributes, open::remove);
        return Opened.keep(open, operation, "event queue", queue, queue::close);
    }

    @Override
    public PassiveEndpoint openPassiveEndpoint(
        final FabricInfo narrowed, final EventQueue queue, final String service) {
        final String operation = "open passive endpoint";
        requireMine(operation, narrowed);
        PassiveListener.check(narrowed, queue, this);
        // Its queue pair needs a protection domain; the application has perhaps none, and need not know of this one.
        final RdmaDomain hidden = makeDomain(narrowed);
        try (Undo undo = new Undo()) {
            undo.add(hidden::close);
            final PassiveListener listener = PassiveListener.open(hidden, queue, service, closed -> {
                try {
                    hidden.close();
                } finally {
                    open.remove(closed);
                }
            });
            undo.forget();
            return Opened.keep(open, operation, "passive endpoint", listener, listener::close);
        }
    }

    private void requireMine(final String operation, final FabricInfo narrowed) {
        open.requireOpen(operation);
        if (narrowed == null) {
            throw invalid(operation, "info is null");
        }
        if (!Discovery.made(narrowed) || !narrowed.address().equals(info.address())
            || narrowed.context() != info.context()) {
            throw invalid(operation, "info is of %s, the fabric of %s", narrowed.address(), info.address());
        }
    }

    private RdmaDomain makeDomain(final FabricInfo narrowed) {
        final RdmaContext context = device.acquire();
        try (Undo undo = new Undo()) {
            undo.add(device::release);
            final RdmaDomain domain = new RdmaDomain(this, narrowed, context, device.events());
            undo.forget();
            return domain;
        }
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
