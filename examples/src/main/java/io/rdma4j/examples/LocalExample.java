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

/** Without the bit any memory can be sent from: a cache registers it. With the bit the application does. */
final class LocalExample {
    private LocalExample() {
    }

    static void run(final String device, final Page page) {
        page.section("without the bit: the provider registers");
        try (TwoEnds ends = TwoEnds.messages(device, hints -> hints)) {
            page.negotiated(ends.info(), MrMode.LOCAL);
            page.done("the program registers", "nothing");
            message(ends, page, "hello from anywhere", null, null);
        }
        page.section("with the bit: the application registers, and passes descriptors");
        try (TwoEnds ends = TwoEnds.messages(device, hints -> hints.demand(MrMode.LOCAL))) {
            page.negotiated(ends.info(), MrMode.LOCAL);
            final PinnedMemory out = ends.near().memory(64);
            page.called("send(address, length, null, context)",
                ends.near().endpoint().send(out.address(), 64, null, 1));
            page.done("the program registers", "the send buffer with SEND, the receive buffer with RECV");
            message(ends, page, "hello from a region", MrAccess.SEND, MrAccess.RECV);
        }
    }

    private static void message(
        final TwoEnds ends, final Page page, final String text, final MrAccess send, final MrAccess receive) {
        final PinnedMemory out = ends.near().memory(text);
        final PinnedMemory in = ends.far().memory(text.length());
        final MemoryRegion from = send == null ? null : ends.near().own(ends.near().domain().register(
            new MrAttributes().buffer(out).access(send)));
        final MemoryRegion to = receive == null ? null : ends.far().own(ends.far().domain().register(
            new MrAttributes().buffer(in).access(receive)));
        final String desc = from == null ? "null" : "region";
        ends.far().post(() -> ends.far().endpoint().receive(in.address(), text.length(), to, 1));
        page.done("send(address, length, " + desc + ", context)", ends.near().run(() ->
            ends.near().endpoint().send(out.address(), text.length(), from, 2)));
        ends.far().await();
        page.done("the peer has", End.text(in, text.length()));
    }
}
