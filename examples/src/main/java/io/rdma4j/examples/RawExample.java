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

import java.util.HexFormat;

/** Without the bit a key is a number of 64 bits. With it the key is bytes, and the peer maps them before use. */
final class RawExample {
    private static final String TEXT = "written by a peer";

    private RawExample() {
    }

    static void run(final String device, final Page page) {
        page.section("without the bit: key() goes to the peer as a number");
        try (TwoEnds ends = TwoEnds.rma(device, hints -> hints)) {
            page.negotiated(ends.info(), MrMode.RAW);
            final PinnedMemory target = ends.far().memory(TEXT.length());
            final MemoryRegion region = region(ends, target);
            page.done("key()", "0x" + Long.toHexString(region.key()));
            write(ends, page, target, region.base(), region.key());
        }
        page.section("with the bit: rawAttributes() goes to the peer, which maps it");
        try (TwoEnds ends = TwoEnds.rma(device, hints -> hints.demand(MrMode.RAW))) {
            page.negotiated(ends.info(), MrMode.RAW);
            final PinnedMemory target = ends.far().memory(TEXT.length());
            final MemoryRegion region = region(ends, target);
            page.done("key()", region.key() == MemoryRegion.KEY_NOTAVAIL ? "FI_KEY_NOTAVAIL" : "a number");
            final byte[] raw = new byte[region.rawKeySize()];
            final long base = region.rawAttributes(raw);
            page.done("rawAttributes(" + raw.length + " bytes)", HexFormat.of().formatHex(raw, 0, 16) + "...");
            final long key = ends.near().domain().mapRaw(base, raw);
            page.done("the peer: mapRaw(base, bytes)", "0x" + Long.toHexString(key));
            write(ends, page, target, base, key);
            ends.near().domain().unmapKey(key);
            page.done("the peer: unmapKey(key)", "before its domain is closed");
        }
    }

    private static MemoryRegion region(final TwoEnds ends, final PinnedMemory target) {
        return ends.far().own(ends.far().domain().register(
            new MrAttributes().buffer(target).access(MrAccess.REMOTE_WRITE).requestedKey(7)));
    }

    private static void write(
        final TwoEnds ends, final Page page, final PinnedMemory target, final long base, final long key) {
        final PinnedMemory source = ends.near().memory(TEXT);
        page.done("write(..., base, key, context)", ends.near().run(() ->
            ends.near().endpoint().write(source.address(), TEXT.length(), null, base, key, 1)));
        page.done("the target has", End.text(target, TEXT.length()));
    }
}
