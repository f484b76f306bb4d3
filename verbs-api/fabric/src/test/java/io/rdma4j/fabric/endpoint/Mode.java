/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.endpoint;

import io.rdma4j.fabric.Capability;
import io.rdma4j.fabric.Hints;
import io.rdma4j.fabric.MemoryRegion;
import io.rdma4j.fabric.MrMode;

import java.util.EnumSet;
import java.util.Set;

/** Whose keys, and how memory is named. */
enum Mode {
    PROV_KEY_VIRT(MrMode.PROV_KEY, MrMode.VIRT_ADDR),
    PROV_KEY_OFFSETS(MrMode.PROV_KEY),
    APPLICATION_KEY_VIRT(MrMode.VIRT_ADDR),
    APPLICATION_KEY_OFFSETS,
    RAW_VIRT(MrMode.RAW, MrMode.VIRT_ADDR),
    RAW_OFFSETS(MrMode.RAW),
    RAW_PROV_KEY(MrMode.RAW, MrMode.PROV_KEY);

    private final Set<MrMode> bits = EnumSet.of(MrMode.ALLOCATED);

    Mode(final MrMode... demanded) {
        bits.addAll(Set.of(demanded));
    }

    Hints hints() {
        return new Hints().capabilities(Capability.MSG, Capability.RMA, Capability.ATOMIC).mrMode(bits).demand(bits);
    }

    boolean hasRequestedKeys() {
        return !bits.contains(MrMode.PROV_KEY);
    }

    /** The key by which a side reaches a region of its peer. */
    long key(final Side of, final MemoryRegion region) {
        if (!bits.contains(MrMode.RAW)) {
            return region.key();
        }
        final byte[] raw = new byte[region.rawKeySize()];
        final long base = region.rawAttributes(raw);
        return of.domain.mapRaw(base, raw);
    }

    void release(final Side of, final long key) {
        if (bits.contains(MrMode.RAW)) {
            of.domain.unmapKey(key);
        }
    }
}
