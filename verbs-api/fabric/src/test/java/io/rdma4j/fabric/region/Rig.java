/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.region;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.fabric.Capability;
import io.rdma4j.fabric.Domain;
import io.rdma4j.fabric.Fabric;
import io.rdma4j.fabric.Fabrics;
import io.rdma4j.fabric.Hints;
import io.rdma4j.fabric.MemoryRegion;
import io.rdma4j.fabric.MrAccess;
import io.rdma4j.fabric.MrAttributes;
import io.rdma4j.verbs.RdmaContext;
import io.rdma4j.verbs.RdmaDevices;

import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.TestExecutionExceptionHandler;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/** A device, its fabric and domains for one test. What the test leaves open is a failure. */
final class Rig implements AfterEachCallback, TestExecutionExceptionHandler {
    /** All deviations that QEMU's device has. */
    static final String QEMU = "quirks=qemu-7.2";
    static final int PAGE = 4096;

    private static final AtomicInteger NAMES = new AtomicInteger();

    private final List<RdmaContext> contexts = new ArrayList<>();
    private final List<Fabric> fabrics = new ArrayList<>();
    private final List<Domain> domains = new ArrayList<>();
    private String options = "";

    Rig on(final String deviceOptions) {
        options = deviceOptions;
        return this;
    }

    /** The device that the test's domains share. */
    RdmaContext context() {
        if (contexts.isEmpty()) {
            contexts.add(RdmaDevices.open("emulated:fr" + NAMES.incrementAndGet()
                + (options.isEmpty() ? "" : "?" + options)));
        }
        return contexts.get(0);
    }

    /** A domain of a fabric of its own, with what the hints ask for. */
    Domain domain(final Consumer<Hints> asked) {
        final Hints hints = new Hints().context(context());
        asked.accept(hints);
        final Fabric fabric = Fabrics.open(Fabrics.getInfo(hints).get(0));
        fabrics.add(fabric);
        final Domain domain = fabric.openDomain(fabric.info());
        domains.add(domain);
        return domain;
    }

    Domain domain() {
        return domain(hints -> { });
    }

    Domain domain(final Capability first, final Capability... more) {
        return domain(hints -> hints.capabilities(first, more));
    }

    Fabric fabricOf(final Domain domain) {
        return fabrics.get(domains.indexOf(domain));
    }

    static Regions regionsOf(final Domain domain) {
        return ((FabricRegion) probe(domain)).regions();
    }

    /** A region that lives for a moment, to come to what is behind it. */
    private static MemoryRegion probe(final Domain domain) {
        final MemoryRegion region = domain.register(local(ByteBuffer.allocateDirect(PAGE)));
        region.close();
        return region;
    }

    static MrAttributes local(final ByteBuffer buffer) {
        return new MrAttributes().buffer(buffer).access(MrAccess.SEND, MrAccess.RECV);
    }

    static MrAttributes remote(final ByteBuffer buffer, final long key) {
        return new MrAttributes().buffer(buffer).requestedKey(key)
            .access(MrAccess.REMOTE_READ, MrAccess.REMOTE_WRITE);
    }

    @Override
    public void handleTestExecutionException(final ExtensionContext test, final Throwable failure) throws Throwable {
        for (final RdmaContext context : contexts) {
            failure.addSuppressed(new AssertionError("state at the failure\n" + context.dump()));
        }
        throw failure;
    }

    @Override
    public void afterEach(final ExtensionContext test) {
        final boolean failed = test.getExecutionException().isPresent();
        try {
            if (!failed) {
                domains.forEach(Domain::close);
                fabrics.forEach(Fabric::close);
                contexts.forEach(context -> assertThat(context.dump()).as("left at the device")
                    .contains("PD 0/", "MR 0/", "CQ 0/", "QP 0/", "SRQ 0/"));
            }
        } finally {
            contexts.forEach(RdmaContext::close);
        }
        contexts.forEach(context -> assertThat(context.reachableBytes()).as("bytes left reachable").isZero());
    }
}
