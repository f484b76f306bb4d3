/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.examples;

import io.rdma4j.fabric.Capability;
import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.MemoryRegion;
import io.rdma4j.fabric.MrAccess;
import io.rdma4j.fabric.MrAttributes;
import io.rdma4j.fabric.MrMode;
import io.rdma4j.verbs.PinnedMemory;

/** There are no collective operations here: the bit is cleared, and regions may be marked for them all the same. */
final class CollectiveExample {
    private static final String TEXT = "marked for collective use";

    private CollectiveExample() {
    }

    static void run(final String device, final Page page) {
        page.section("without the bit: regions need not be marked");
        try (TwoEnds ends = TwoEnds.messages(device, hints -> hints)) {
            page.negotiated(ends.info(), MrMode.COLLECTIVE);
            message(ends, page, MrAccess.SEND);
        }
        page.section("a program that marks them, as one that offers the bit does");
        try (TwoEnds ends = TwoEnds.messages(device, hints -> hints)) {
            page.done("register(..., COLLECTIVE) alone", alone(ends));
            message(ends, page, MrAccess.SEND, MrAccess.COLLECTIVE);
        }
        page.section("a program that needs collective operations");
        try (TwoEnds ends = TwoEnds.open(device, hints -> hints.capabilities(Capability.COLLECTIVE))) {
            page.done("getInfo(capability COLLECTIVE)", ends.info());
        } catch (final FabricException e) {
            page.done("getInfo(capability COLLECTIVE)", FiErrno.name(e.errno()));
        }
    }

    private static String alone(final TwoEnds ends) {
        final PinnedMemory memory = ends.near().memory(TEXT);
        try (MemoryRegion region = ends.near().domain().register(
            new MrAttributes().buffer(memory).access(MrAccess.COLLECTIVE))) {
            return region.toString();
        } catch (final FabricException e) {
            return FiErrno.name(e.errno()) + ": it goes with SEND or RECV";
        }
    }

    private static void message(final TwoEnds ends, final Page page, final MrAccess... access) {
        final PinnedMemory out = ends.near().memory(TEXT);
        final PinnedMemory in = ends.far().memory(TEXT.length());
        final MemoryRegion region =
            ends.near().own(ends.near().domain().register(new MrAttributes().buffer(out).access(access)));
        page.done("register(...)", region.access());
        ends.far().post(() -> ends.far().endpoint().receive(in.address(), TEXT.length(), null, 1));
        page.done("send(address, length, region, context)", ends.near().run(() ->
            ends.near().endpoint().send(out.address(), TEXT.length(), region, 2)));
        ends.far().await();
        page.done("the peer has", End.text(in, TEXT.length()));
    }
}
