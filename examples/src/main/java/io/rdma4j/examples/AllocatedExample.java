/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.examples;

import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.MemoryRegion;
import io.rdma4j.fabric.MrAccess;
import io.rdma4j.fabric.MrMode;
import io.rdma4j.verbs.PinnedMemory;

import java.io.IOException;
import java.util.EnumSet;
import java.util.Set;

/** Without the bit addresses are registered, whatever is behind them. With it the memory is there, and stays. */
final class AllocatedExample {
    private static final int LENGTH = 8192;
    private static final String FIRST = "pages that came later";
    private static final String SECOND = "pages that came again";
    /** Linux maps nothing here. */
    private static final long NOTHING = 4096;

    private AllocatedExample() {
    }

    static void run(final String device, final Page page) throws IOException {
        page.section("with the bit: memory first, then the registration, and no change until it is closed");
        try (TwoEnds ends = TwoEnds.rma(device, hints -> hints.demand(MrMode.ALLOCATED))) {
            page.negotiated(ends.info(), MrMode.ALLOCATED);
            page.done("register(addresses without memory)", nothing(ends));
            final PinnedMemory memory = ends.far().memory(LENGTH);
            final MemoryRegion region = register(ends, memory.address());
            page.done("register(addresses with memory)", "enabled: " + region.isEnabled());
            page.done("write(...) to them", write(ends, region, FIRST));
            page.done("the target has", End.text(memory, FIRST.length()));
        }
        page.section("without the bit: pages may come, go, and be others the next time");
        final Set<MrMode> others = EnumSet.copyOf(TwoEnds.ALL_MODES);
        others.remove(MrMode.ALLOCATED);
        others.remove(MrMode.MMU_NOTIFY);
        try (FileMemory memory = new FileMemory(LENGTH);
            TwoEnds ends = TwoEnds.rma(device, hints -> hints.mrMode(others))) {
            page.negotiated(ends.info(), MrMode.ALLOCATED);
            final MemoryRegion region = register(ends, memory.address());
            page.done("register(addresses without pages)", "enabled: " + region.isEnabled());
            page.done("write(...) while there are none", write(ends, region, FIRST));
            memory.addPages();
            page.done("pages come; write(...)", write(ends, region, FIRST));
            page.done("the target has", memory.text(FIRST.length()));
            memory.removePages();
            memory.addPages();
            page.done("they go, others come: the target has", memory.text(FIRST.length()));
            page.done("write(...), by the same key", write(ends, region, SECOND));
            page.done("the target has", memory.text(SECOND.length()));
        }
    }

    private static MemoryRegion register(final TwoEnds ends, final long address) {
        return ends.far().own(ends.far().domain().register(address, LENGTH, Set.of(MrAccess.REMOTE_WRITE), 7));
    }

    private static String nothing(final TwoEnds ends) {
        try {
            return register(ends, NOTHING).toString();
        } catch (final FabricException e) {
            return FiErrno.name(e.errno());
        }
    }

    /** The first word of what came of it. */
    private static String write(final TwoEnds ends, final MemoryRegion region, final String text) {
        final PinnedMemory source = ends.near().memory(text);
        return ends.near().run(() -> ends.near().endpoint().write(
            source.address(), text.length(), null, region.base(), region.key(), 1));
    }
}
