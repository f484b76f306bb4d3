/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.cache;

import io.rdma4j.RdmaException;
import io.rdma4j.driver.memory.Presence;
import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.spi.RegionOwner;

/** Registers what is cached with the device, where others make room if it has none. */
final class EntryRegistrar {
    /** Stands for the owner of an entry, which is held while the entry is used, and not by the region. */
    private static final RegionOwner KEEPER = () -> { };
    private static final AccessFlag[] READ_ONLY = {};
    private static final AccessFlag[] WRITABLE = {AccessFlag.LOCAL_WRITE};
    private static final AccessFlag[] READ_ON_DEMAND = {AccessFlag.ON_DEMAND};
    private static final AccessFlag[] WRITE_ON_DEMAND = {AccessFlag.LOCAL_WRITE, AccessFlag.ON_DEMAND};

    private final ProtectionDomain pd;

    EntryRegistrar(final ProtectionDomain pd) {
        this.pd = pd;
    }

    /**
     * Registers what the device looks for at each access. It would not notice now what is not there.
     *
     * @throws FabricException FI_EFAULT if that is not all there.
     */
    MemoryRegion registerOnDemand(final Range range, final int access) {
        final Range pages = range.wholePages();
        final String missing = Presence.firstMissing(pages.start(), pages.length(), access != 0);
        if (missing != null) {
            throw FabricException.of("register memory for the cache").detail("%s: %s", range, missing)
                .errno(FiErrno.FI_EFAULT).build();
        }
        return register(range, null, access == 0 ? READ_ON_DEMAND : WRITE_ON_DEMAND);
    }

    /**
     * Registers pages.
     *
     * @param isKept whether somebody keeps the memory mapped while the region is used.
     */
    MemoryRegion register(final Range range, final int access, final boolean isKept) {
        return register(range, isKept ? KEEPER : null, access == 0 ? READ_ONLY : WRITABLE);
    }

    private MemoryRegion register(final Range range, final RegionOwner owner, final AccessFlag... access) {
        try {
            return RegionRoom.make(pd, () -> pd.register(range.start(), range.length(), owner, access));
        } catch (final RdmaException e) {
            throw FabricException.from("register memory for the cache", e);
        }
    }
}
