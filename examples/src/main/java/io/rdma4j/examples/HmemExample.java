/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.examples;

import io.rdma4j.fabric.Capability;
import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.Hints;
import io.rdma4j.fabric.HmemIface;
import io.rdma4j.fabric.MemoryRegion;
import io.rdma4j.fabric.MrAccess;
import io.rdma4j.fabric.MrAttributes;
import io.rdma4j.fabric.MrMode;
import io.rdma4j.verbs.PinnedMemory;

import java.util.EnumSet;
import java.util.Set;

/** With the bit memory of accelerators is registered, with interface and device, also for use by this side only. */
final class HmemExample {
    private static final String TEXT = "memory of the host";

    private HmemExample() {
    }

    static void run(final String device, final Page page) {
        page.section("without the capability FI_HMEM: no bit, and the interface is not looked at");
        try (TwoEnds ends = TwoEnds.messages(device, hints -> hints)) {
            page.negotiated(ends.info(), MrMode.HMEM);
            message(ends, page, HmemIface.CUDA);
        }
        page.section("with it: the application says whose memory it is, and passes descriptors for it");
        try (TwoEnds ends = TwoEnds.open(device, HmemExample::hmem)) {
            page.negotiated(ends.info(), MrMode.HMEM);
            message(ends, page, HmemIface.SYSTEM);
            for (final HmemIface other : new HmemIface[] {HmemIface.CUDA, HmemIface.ROCR, HmemIface.ZE}) {
                page.done("register(..., " + other + " 0)", elsewhere(ends, other));
            }
        }
        page.section("a program that wants the capability and does not offer the bit");
        final Set<MrMode> others = EnumSet.copyOf(TwoEnds.ALL_MODES);
        others.remove(MrMode.HMEM);
        try (TwoEnds ends = TwoEnds.open(device, hints -> hmem(hints).mrMode(others))) {
            page.done("getInfo(capability HMEM)", ends.info());
        } catch (final FabricException e) {
            page.done("getInfo(capability HMEM)", FiErrno.name(e.errno()));
        }
    }

    private static Hints hmem(final Hints hints) {
        return hints.capabilities(Capability.MSG, Capability.HMEM);
    }

    private static void message(final TwoEnds ends, final Page page, final HmemIface iface) {
        final PinnedMemory out = ends.near().memory(TEXT);
        final PinnedMemory in = ends.far().memory(TEXT.length());
        final MemoryRegion region = ends.near().own(ends.near().domain().register(
            new MrAttributes().buffer(out).access(MrAccess.SEND).iface(iface, 0)));
        page.done("register(..., " + iface + " 0)", region.isEnabled() ? "enabled" : "disabled");
        ends.far().post(() -> ends.far().endpoint().receive(in.address(), TEXT.length(), null, 1));
        page.done("send(address, length, region, context)", ends.near().run(() ->
            ends.near().endpoint().send(out.address(), TEXT.length(), region, 2)));
        ends.far().await();
        page.done("the peer has", End.text(in, TEXT.length()));
    }

    private static String elsewhere(final TwoEnds ends, final HmemIface iface) {
        final PinnedMemory memory = ends.near().memory(TEXT);
        try (MemoryRegion region = ends.near().domain().register(
            new MrAttributes().buffer(memory).access(MrAccess.SEND).iface(iface, 0))) {
            return region.toString();
        } catch (final FabricException e) {
            return FiErrno.name(e.errno()) + ": " + e.getMessage();
        }
    }
}
