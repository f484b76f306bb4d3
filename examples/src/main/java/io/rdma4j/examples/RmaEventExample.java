/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.examples;

import io.rdma4j.fabric.Capability;
import io.rdma4j.fabric.Counter;
import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.Hints;
import io.rdma4j.fabric.MemoryRegion;
import io.rdma4j.fabric.MrAccess;
import io.rdma4j.fabric.MrAttributes;
import io.rdma4j.fabric.MrFlag;
import io.rdma4j.fabric.MrMode;
import io.rdma4j.verbs.PinnedMemory;

import java.time.Duration;

/** Without the bit any region can be bound at any time. With it regions begin disabled, are bound, then enabled. */
final class RmaEventExample {
    private static final int LENGTH = 64;
    private static final int WRITES = 3;

    private RmaEventExample() {
    }

    static void run(final String device, final Page page) {
        page.section("without the bit: bind whenever it is convenient");
        try (TwoEnds ends = TwoEnds.open(device, RmaEventExample::counting)) {
            page.negotiated(ends.info(), MrMode.RMA_EVENT);
            final MemoryRegion region = register(ends);
            page.done("register(...)", state(region));
            count(ends, page, region);
        }
        page.section("with the bit: create with RMA_EVENT, bind, enable, in this order");
        try (TwoEnds ends = TwoEnds.open(device, hints -> counting(hints).demand(MrMode.RMA_EVENT))) {
            page.negotiated(ends.info(), MrMode.RMA_EVENT);
            final MemoryRegion region = register(ends, MrFlag.RMA_EVENT);
            page.done("register(..., RMA_EVENT)", state(region));
            count(ends, page, region);
        }
    }

    private static Hints counting(final Hints hints) {
        return hints.capabilities(Capability.MSG, Capability.RMA, Capability.RMA_EVENT);
    }

    private static MemoryRegion register(final TwoEnds ends, final MrFlag... flags) {
        final PinnedMemory target = ends.far().memory(LENGTH);
        return ends.far().own(ends.far().domain().register(new MrAttributes().buffer(target)
            .access(MrAccess.REMOTE_WRITE).requestedKey(7).flags(flags)));
    }

    private static String state(final MemoryRegion region) {
        return region.isEnabled() ? "enabled" : "disabled: no peer reaches it";
    }

    private static void count(final TwoEnds ends, final Page page, final MemoryRegion region) {
        // Closed before the region: a region that is bound says FI_EBUSY.
        final Counter counter = ends.far().own(ends.far().domain().openCounter());
        region.bind(counter);
        page.done("bind(counter)", "writes and atomics of peers will be counted");
        if (!region.isEnabled()) {
            region.enable();
            page.done("enable()", state(region));
            page.done("bind(another counter) now", late(ends, region));
        }
        final PinnedMemory source = ends.near().memory(LENGTH);
        for (int i = 0; i < WRITES; i++) {
            ends.near().run(() -> ends.near().endpoint().write(
                source.address(), LENGTH, null, region.base(), region.key(), 1));
        }
        page.called("await(" + WRITES + ")", counter.await(WRITES, Duration.ofSeconds(10)));
        page.done("the counter, after " + WRITES + " writes of the peer", counter.read());
    }

    private static String late(final TwoEnds ends, final MemoryRegion region) {
        try (Counter other = ends.far().domain().openCounter()) {
            region.bind(other);
            return "bound";
        } catch (final FabricException e) {
            return FiErrno.name(e.errno());
        }
    }
}
