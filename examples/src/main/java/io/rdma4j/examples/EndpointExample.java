/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.examples;

import io.rdma4j.fabric.MemoryRegion;
import io.rdma4j.fabric.MrAccess;
import io.rdma4j.fabric.MrAttributes;
import io.rdma4j.fabric.MrMode;
import io.rdma4j.verbs.PinnedMemory;

/** Without the bit a region is used through every endpoint of its domain. With it, through the one it is bound to. */
final class EndpointExample {
    private static final String TEXT = "through an endpoint";

    private EndpointExample() {
    }

    static void run(final String device, final Page page) {
        page.section("without the bit: register, use");
        try (TwoEnds ends = TwoEnds.messages(device, hints -> hints)) {
            page.negotiated(ends.info(), MrMode.ENDPOINT);
            final PinnedMemory in = ends.far().memory(TEXT.length());
            final MemoryRegion region = register(ends, in);
            page.done("register(...)", state(region));
            message(ends, page, in, region);
        }
        page.section("with the bit: register, bind to an endpoint, enable, use");
        try (TwoEnds ends = TwoEnds.messages(device, hints -> hints.demand(MrMode.ENDPOINT))) {
            page.negotiated(ends.info(), MrMode.ENDPOINT);
            final PinnedMemory in = ends.far().memory(TEXT.length());
            final MemoryRegion region = register(ends, in);
            page.done("register(...)", state(region));
            region.bind(ends.far().endpoint());
            page.done("bind(endpoint)", state(region));
            region.enable();
            page.done("enable()", state(region));
            message(ends, page, in, region);
        }
    }

    private static MemoryRegion register(final TwoEnds ends, final PinnedMemory in) {
        return ends.far().own(ends.far().domain().register(new MrAttributes().buffer(in).access(MrAccess.RECV)));
    }

    private static String state(final MemoryRegion region) {
        return region.isEnabled() ? "enabled" : "disabled";
    }

    private static void message(
        final TwoEnds ends, final Page page, final PinnedMemory in, final MemoryRegion region) {
        final PinnedMemory out = ends.near().memory(TEXT);
        ends.far().post(() -> ends.far().endpoint().receive(in.address(), TEXT.length(), region, 1));
        ends.near().run(() -> ends.near().endpoint().send(out.address(), TEXT.length(), null, 2));
        page.done("receive(address, length, region, context)", ends.far().await());
        page.done("received", End.text(in, TEXT.length()));
    }
}
