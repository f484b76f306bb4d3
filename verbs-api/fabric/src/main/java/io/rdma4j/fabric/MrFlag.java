/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric;

import java.util.Set;

/** Flags of a registration (checklist 17), with the bits of rdma/fabric.h and rdma/fi_domain.h. */
public enum MrFlag {
    /** The memory is a dma-buf. */
    DMABUF(1L << 40),
    /** Memory of the host that an interface of an accelerator allocated. */
    HMEM_HOST_ALLOC(1L << 45),
    /** Only an accelerator reaches the memory. */
    HMEM_DEVICE_ONLY(1L << 46),
    /** The memory is persistent: what peers wrote is made durable. */
    RMA_PMEM(1L << 49),
    /** The region will be bound to counters of remote accesses. */
    RMA_EVENT(1L << 56),
    /** The address in the authorization key names a key of an address vector. */
    AUTH_KEY(1L << 57);

    private final long bit;

    MrFlag(final long bit) {
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
    public static long bits(final Set<MrFlag> set) {
        return Flags.encode(set, MrFlag::bit);
    }

    /**
     * Takes bits apart.
     *
     * @param bits bits as libfabric has them.
     * @return a new set.
     * @throws FabricException FI_EBADFLAGS for a bit that is none of these.
     */
    public static Set<MrFlag> of(final long bits) {
        return Flags.decode(MrFlag.class, MrFlag::bit, bits);
    }
}
