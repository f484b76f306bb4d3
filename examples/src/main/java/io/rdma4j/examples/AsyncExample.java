/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.examples;

import io.rdma4j.fabric.Domain;
import io.rdma4j.fabric.EventQueue;
import io.rdma4j.fabric.Fabric;
import io.rdma4j.fabric.FabricInfo;
import io.rdma4j.fabric.Fabrics;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.Hints;
import io.rdma4j.fabric.MemoryRegion;
import io.rdma4j.fabric.MrAccess;
import io.rdma4j.fabric.MrAttributes;
import io.rdma4j.fabric.MrMode;
import io.rdma4j.verbs.PinnedMemory;

import java.time.Duration;

/** A domain that is bound to an event queue registers in the background, and tells when it is done. */
final class AsyncExample {
    private static final int LENGTH = 1 << 20;
    /** Linux maps nothing here. */
    private static final long NOTHING = 4096;
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private AsyncExample() {
    }

    static void run(final String device, final Page page) {
        // Pages that are there when they are registered: so that memory that is not there can be seen to fail.
        final FabricInfo info = Fabrics.getInfo(new Hints().address(device).mrMode(TwoEnds.ALL_MODES)
            .demand(MrMode.ALLOCATED)).get(0);
        try (Fabric fabric = Fabrics.open(info)) {
            page.section("without an event queue: register() returns when it is done");
            try (Domain domain = fabric.openDomain(info);
                PinnedMemory memory = domain.allocate(LENGTH);
                MemoryRegion region = domain.register(describe(memory))) {
                page.done("register(1 MiB)", region.isEnabled() ? "enabled" : "not yet");
            }
            page.section("with an event queue: register() returns at once, an event tells of the end");
            try (EventQueue events = fabric.openEventQueue(0)) {
                asynchronous(fabric, info, events, page);
            }
        }
    }

    private static MrAttributes describe(final PinnedMemory memory) {
        return new MrAttributes().buffer(memory).access(MrAccess.SEND, MrAccess.RECV).context("my buffer");
    }

    private static void asynchronous(
        final Fabric fabric, final FabricInfo info, final EventQueue events, final Page page) {
        try (Domain domain = fabric.openDomain(info); PinnedMemory memory = domain.allocate(LENGTH)) {
            domain.bind(events);
            page.done("bind(queue)", "from now on each registration has an event");
            try (MemoryRegion region = domain.register(describe(memory))) {
                event(events, page, region);
                page.done("the region now", region.isEnabled() ? "enabled" : "not enabled");
            }
            try (MemoryRegion region = domain.register(new MrAttributes().buffer(NOTHING, LENGTH)
                .access(MrAccess.SEND).context("nobody's memory"))) {
                event(events, page, region);
                page.done("the region now", region.isEnabled() ? "enabled" : "not enabled");
            }
        }
    }

    private static void event(final EventQueue events, final Page page, final MemoryRegion region) {
        final int count = events.awaitRead(entry -> page.done("event " + entry.event() + ", " + entry.context(),
            (entry.region() == region ? "of the region that register() returned: " : "of another region: ")
                + FiErrno.name(entry.errno())), 1, PATIENCE);
        if (count == 0) {
            page.done("event", "none within " + PATIENCE);
        }
    }
}
