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

/** Without the bit peers count from 0. With it they need the target's addresses, which travel with the keys. */
final class VirtAddrExample {
    private static final int LENGTH = 4096;
    private static final int PLACE = 100;
    private static final String TEXT = "at offset 100";

    private VirtAddrExample() {
    }

    static void run(final String device, final Page page) {
        page.section("without the bit: every region begins at 0");
        try (TwoEnds ends = TwoEnds.rma(device, hints -> hints)) {
            show(ends, page);
        }
        page.section("with the bit: a region begins at its address in the target's process");
        try (TwoEnds ends = TwoEnds.rma(device, hints -> hints.demand(MrMode.VIRT_ADDR))) {
            show(ends, page);
        }
    }

    private static void show(final TwoEnds ends, final Page page) {
        page.negotiated(ends.info(), MrMode.VIRT_ADDR);
        final PinnedMemory target = ends.far().memory(LENGTH);
        final MemoryRegion region = ends.far().own(ends.far().domain().register(
            new MrAttributes().buffer(target).access(MrAccess.REMOTE_WRITE).requestedKey(7)));
        final boolean zero = region.base() == 0;
        page.done("the peer has to know", zero ? "the key" : "the key, and the address of the region");
        page.done("base()", zero ? "0" : region.base() == target.address() ? "address() of the region" : "?");
        final PinnedMemory source = ends.near().memory(TEXT);
        page.done("write(..., " + (zero ? "100" : "address + 100") + ", key, context)", ends.near().run(() ->
            ends.near().endpoint().write(source.address(), TEXT.length(), null, region.base() + PLACE, region.key(),
                1)));
        page.done("the target has at 100", '"' + target.buffer().getStringWithoutLengthAscii(PLACE, TEXT.length())
            + '"');
    }
}
