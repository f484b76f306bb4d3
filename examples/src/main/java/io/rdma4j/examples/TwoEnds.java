/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.examples;

import io.rdma4j.fabric.Capability;
import io.rdma4j.fabric.Fabric;
import io.rdma4j.fabric.FabricInfo;
import io.rdma4j.fabric.Fabrics;
import io.rdma4j.fabric.Hints;
import io.rdma4j.fabric.MrMode;

import java.util.EnumSet;
import java.util.Set;
import java.util.function.UnaryOperator;

/**
 * Two connected ends in one process, each with a domain of its own, so that neither knows more of the other than a
 * peer in another process would.
 */
final class TwoEnds implements AutoCloseable {
    /** An application that copes with everything. BASIC and SCALABLE are from before version 1.5. */
    static final Set<MrMode> ALL_MODES = EnumSet.complementOf(EnumSet.of(MrMode.BASIC, MrMode.SCALABLE));

    private final FabricInfo info;
    private final Fabric fabric;
    private final End near;
    private final End far;

    private TwoEnds(final FabricInfo info) {
        this.info = info;
        this.fabric = Fabrics.open(info);
        this.near = new End(fabric.openDomain(info));
        this.far = new End(fabric.openDomain(info));
        near.connect(far);
        far.connect(near);
    }

    /** For messages only. */
    static TwoEnds messages(final String device, final UnaryOperator<Hints> wishes) {
        return open(device, hints -> wishes.apply(hints.capabilities(Capability.MSG)));
    }

    /** For messages and remote memory access. */
    static TwoEnds rma(final String device, final UnaryOperator<Hints> wishes) {
        return open(device, hints -> wishes.apply(hints.capabilities(Capability.MSG, Capability.RMA)));
    }

    static TwoEnds open(final String device, final UnaryOperator<Hints> wishes) {
        final Hints hints = new Hints().address(device).mrMode(ALL_MODES);
        return new TwoEnds(Fabrics.getInfo(wishes.apply(hints)).get(0));
    }

    FabricInfo info() {
        return info;
    }

    Fabric fabric() {
        return fabric;
    }

    /** Who starts the transfers. */
    End near() {
        return near;
    }

    /** Whose memory is the target. */
    End far() {
        return far;
    }

    @Override
    public void close() {
        near.close();
        far.close();
        fabric.close();
    }
}
