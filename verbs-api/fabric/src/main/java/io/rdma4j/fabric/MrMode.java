/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric;

import java.util.Set;

/**
 * What a provider demands of applications that register memory: the bits of mr_mode (fi_mr, fi_domain; checklist
 * 22-33), as in rdma/fabric.h.
 */
public enum MrMode {
    /** Deprecated since 1.5: stands for {@link #VIRT_ADDR}, {@link #ALLOCATED} and {@link #PROV_KEY}; alone. */
    BASIC(1L),
    /** Deprecated since 1.5: stands for no bits. */
    SCALABLE(1L << 1),
    /** Local buffers are registered by the application, which passes descriptors. */
    LOCAL(1L << 2),
    /** Keys are exchanged as raw keys, and mapped at the peer. */
    RAW(1L << 3),
    /** Peers name memory by its virtual address, not by an offset from 0. */
    VIRT_ADDR(1L << 4),
    /** Memory is backed by pages when it is registered, and they stay. */
    ALLOCATED(1L << 5),
    /** The provider chooses keys. */
    PROV_KEY(1L << 6),
    /**
     * The application tells of changed pages, by {@link MemoryRegion#refresh}, before anybody accesses them. Where the
     * device has {@link io.rdma4j.verbs.Feature#ON_DEMAND_PAGING}, everywhere, and
     * {@link io.rdma4j.verbs.Feature#SUSPEND}, who comes earlier gets an error, or what is there at
     * that moment; elsewhere the pages that were there before. While a refresh runs nobody reaches the region, with one
     * exception: peers that have a key of the device ({@link #PROV_KEY}, or a raw key) do, where the device has no
     * {@code ON_DEMAND_PAGING}, as hiding the region would change their key; what they reach are the old pages or the
     * new ones.
     */
    MMU_NOTIFY(1L << 7),
    /** Regions that are counted are made with {@link MrFlag#RMA_EVENT}, bound, then enabled. */
    RMA_EVENT(1L << 8),
    /** Regions are bound to an endpoint, then enabled. */
    ENDPOINT(1L << 9),
    /** Memory of accelerators is registered by the application also for local use. */
    HMEM(1L << 10),
    /** Regions for collective operations have {@link MrAccess#COLLECTIVE}. */
    COLLECTIVE(1L << 11);

    private final long bit;

    MrMode(final long bit) {
        this.bit = bit;
    }

    /**
     * The value in libfabric's headers.
     *
     * @return a bit.
     */
    public long bit() {
        return bit;
    }

    /**
     * The bits of several.
     *
     * @param set some of them.
     * @return their bits, or-ed.
     * @throws FabricException FI_EINVAL for null.
     */
    public static long bits(final Set<MrMode> set) {
        return Flags.encode(set, MrMode::bit);
    }

    /**
     * Takes bits apart.
     *
     * @param bits bits as libfabric has them.
     * @return a new set.
     * @throws FabricException FI_EBADFLAGS for a bit that is none of these.
     */
    public static Set<MrMode> of(final long bits) {
        return Flags.decode(MrMode.class, MrMode::bit, bits);
    }
}
