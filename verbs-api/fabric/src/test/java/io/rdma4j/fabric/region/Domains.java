/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.region;

import io.rdma4j.fabric.Capability;
import io.rdma4j.fabric.Domain;
import io.rdma4j.fabric.Fabric;
import io.rdma4j.fabric.Hints;
import io.rdma4j.fabric.MrAccess;
import io.rdma4j.fabric.MrAttributes;
import io.rdma4j.fabric.av.AvHost;
import io.rdma4j.fabric.testing.TestDevices;
import io.rdma4j.fabric.testing.TestDomain;
import io.rdma4j.verbs.RdmaContext;

import java.nio.ByteBuffer;
import java.util.function.Consumer;

/** Opens the domains of a test, all on one device. */
final class Domains extends TestDevices {
    static final int PAGE = 4096;

    private RdmaContext context;
    private String options = "";

    Domains on(final String deviceOptions) {
        options = deviceOptions;
        return this;
    }

    /** The device that the test's domains share. */
    RdmaContext context() {
        if (context == null) {
            context = device(options);
        }
        return context;
    }

    /** A domain of a fabric of its own, with what the hints ask for. */
    Domain open(final Consumer<Hints> asked) {
        final Hints hints = new Hints().context(context());
        asked.accept(hints);
        return keep(new TestDomain(hints)).domain;
    }

    Domain open() {
        return open(hints -> { });
    }

    Domain open(final Capability first, final Capability... more) {
        return open(hints -> hints.capabilities(first, more));
    }

    static Fabric fabricOf(final Domain domain) {
        return ((AvHost) domain).fabric();
    }

    static Regions regionsOf(final Domain domain) {
        // A region that lives for a moment, to come to what is behind it.
        try (FabricRegion region = (FabricRegion) domain.register(local(ByteBuffer.allocateDirect(PAGE)))) {
            return region.regions();
        }
    }

    static MrAttributes local(final ByteBuffer buffer) {
        return new MrAttributes().buffer(buffer).access(MrAccess.SEND, MrAccess.RECV);
    }

    static MrAttributes remote(final ByteBuffer buffer, final long key) {
        return new MrAttributes().buffer(buffer).requestedKey(key)
            .access(MrAccess.REMOTE_READ, MrAccess.REMOTE_WRITE);
    }
}
