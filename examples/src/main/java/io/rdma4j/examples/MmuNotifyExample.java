/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.examples;

import io.rdma4j.fabric.MemoryRegion;
import io.rdma4j.fabric.MrAccess;
import io.rdma4j.fabric.MrMode;
import io.rdma4j.verbs.PinnedMemory;

import java.io.IOException;
import java.util.EnumSet;
import java.util.Set;

/** With the bit pages may change, but the application says so before a peer comes: by refresh(). */
final class MmuNotifyExample {
    private static final int LENGTH = 8192;
    private static final String FIRST = "the first pages";
    private static final String SECOND = "other pages";

    private MmuNotifyExample() {
    }

    static void run(final String device, final Page page) throws IOException {
        final Set<MrMode> offered = EnumSet.copyOf(TwoEnds.ALL_MODES);
        offered.remove(MrMode.ALLOCATED);
        page.section("without the bit: the device looks for the page at each access");
        try (FileMemory memory = new FileMemory(LENGTH);
            TwoEnds ends = TwoEnds.rma(device, hints -> hints.mrMode(offered))) {
            page.negotiated(ends.info(), MrMode.MMU_NOTIFY);
            show(ends, page, memory);
        }
        page.section("with the bit: refresh() after each change");
        try (FileMemory memory = new FileMemory(LENGTH);
            TwoEnds ends = TwoEnds.rma(device, hints -> hints.mrMode(offered).demand(MrMode.MMU_NOTIFY))) {
            page.negotiated(ends.info(), MrMode.MMU_NOTIFY);
            show(ends, page, memory);
        }
    }

    private static void show(final TwoEnds ends, final Page page, final FileMemory memory) throws IOException {
        final boolean notify = ends.info().mrMode().contains(MrMode.MMU_NOTIFY);
        final MemoryRegion region = ends.far().own(ends.far().domain().register(
            memory.address(), LENGTH, Set.of(MrAccess.REMOTE_WRITE), 7));
        page.done("register(addresses without pages)", region.isEnabled() ? "enabled" : "disabled");
        memory.addPages();
        refresh(page, region, notify, "pages come");
        page.done("write(...)", write(ends, region, FIRST));
        page.done("the target has", memory.text(FIRST.length()));
        memory.removePages();
        memory.addPages();
        refresh(page, region, notify, "other pages come");
        page.done("write(...), by the same key", write(ends, region, SECOND));
        page.done("the target has", memory.text(SECOND.length()));
    }

    private static void refresh(
        final Page page, final MemoryRegion region, final boolean notify, final String what) {
        if (notify) {
            region.refresh();
            page.done(what + "; refresh()", region.isEnabled() ? "enabled" : "disabled");
        } else {
            page.done(what, "nobody has to be told");
        }
    }

    private static String write(final TwoEnds ends, final MemoryRegion region, final String text) {
        final PinnedMemory source = ends.near().memory(text);
        return ends.near().run(() -> ends.near().endpoint().write(
            source.address(), text.length(), null, region.base(), region.key(), 1));
    }
}
