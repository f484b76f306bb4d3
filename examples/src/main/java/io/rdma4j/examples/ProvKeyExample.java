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

import java.util.Set;

/** Without the bit applications agree on keys beforehand. With it the provider's key has to reach the peer first. */
final class ProvKeyExample {
    private static final long AGREED = 2026;
    private static final String TEXT = "by this key";

    private ProvKeyExample() {
    }

    static void run(final String device, final Page page) {
        page.section("without the bit: the application chooses, and peers can know the key beforehand");
        try (TwoEnds ends = TwoEnds.rma(device, hints -> hints)) {
            page.negotiated(ends.info(), MrMode.PROV_KEY);
            final PinnedMemory target = ends.far().memory(TEXT.length());
            final MemoryRegion region = register(ends, target);
            page.done("register(..., requestedKey " + AGREED + ")", "key() is " + region.key());
            page.done("the same key again", second(ends, target));
            write(ends, page, target, region.base(), AGREED);
        }
        page.section("with the bit: the provider chooses, and key() has to reach the peer");
        try (TwoEnds ends = TwoEnds.rma(device, hints -> hints.demand(MrMode.PROV_KEY))) {
            page.negotiated(ends.info(), MrMode.PROV_KEY);
            final PinnedMemory target = ends.far().memory(TEXT.length());
            final MemoryRegion region = register(ends, target);
            page.done("register(..., requestedKey " + AGREED + ")",
                "key() is " + (region.key() == AGREED ? "that" : "another: the provider's"));
            write(ends, page, target, region.base(), region.key());
        }
    }

    private static MemoryRegion register(final TwoEnds ends, final PinnedMemory target) {
        return ends.far().own(ends.far().domain().register(
            target.address(), TEXT.length(), Set.of(MrAccess.REMOTE_WRITE), AGREED));
    }

    private static String second(final TwoEnds ends, final PinnedMemory target) {
        try {
            return "key() is " + register(ends, target).key();
        } catch (final FabricException e) {
            return FiErrno.name(e.errno());
        }
    }

    private static void write(
        final TwoEnds ends, final Page page, final PinnedMemory target, final long base, final long key) {
        final PinnedMemory source = ends.near().memory(TEXT);
        page.done("write(..., base, key, context)", ends.near().run(() ->
            ends.near().endpoint().write(source.address(), TEXT.length(), null, base, key, 1)));
        page.done("the target has", End.text(target, TEXT.length()));
    }
}
