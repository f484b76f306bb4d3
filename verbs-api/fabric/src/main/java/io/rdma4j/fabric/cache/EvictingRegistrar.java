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
import java.util.Set;
import java.util.function.LongPredicate;

/** Registers with the device, and makes room there if it has none (checklist 59: provider failure, flush, retry). */
final class EvictingRegistrar {
    private static final Set<Integer> NOT_ABOUT_ROOM = Set.of(RdmaException.EINVAL, RdmaException.EFAULT,
        RdmaException.EBADFD, FiErrno.FI_EOPNOTSUPP, FiErrno.FI_ENOSYS, FiErrno.FI_ENODEV, FiErrno.FI_EIO);
    /** Stands for the owner of an entry, which is held while the entry is used, and not by the region. */
    private static final RegionOwner KEEPER = () -> { };
    private static final AccessFlag[] READ_ONLY = {};
    private static final AccessFlag[] WRITABLE = {AccessFlag.LOCAL_WRITE};
    private static final AccessFlag[] READ_ON_DEMAND = {AccessFlag.ON_DEMAND};
    private static final AccessFlag[] WRITE_ON_DEMAND = {AccessFlag.LOCAL_WRITE, AccessFlag.ON_DEMAND};

    private final ProtectionDomain pd;
    private final LongPredicate flush;

    /**
     * Joins both.
     *
     * @param flush deregisters up to so many idle entries; says whether there was one.
     */
    EvictingRegistrar(final ProtectionDomain pd, final LongPredicate flush) {
        this.pd = pd;
        this.flush = flush;
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

    /** What is flushed doubles with each attempt, so that there are few. */
    private MemoryRegion register(final Range range, final RegionOwner owner, final AccessFlag... access) {
        for (long most = 1;; most *= 2) {
            try {
                return pd.register(range.start(), range.length(), owner, access);
            } catch (final RdmaException e) {
                if (NOT_ABOUT_ROOM.contains(e.errno()) || !flush.test(most)) {
                    throw FabricException.from("register memory for the cache", e);
                }
            }
        }
    }
}
