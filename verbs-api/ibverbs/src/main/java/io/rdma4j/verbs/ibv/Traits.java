/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.ibv;

import io.rdma4j.verbs.Feature;
import io.rdma4j.verbs.spi.FeatureTable;

import java.util.Set;

/** What a device has and has not: by its own capabilities, by what the library offers, and by the {@link Quirk}s. */
final class Traits {
    private static final int MEM_WINDOW = 1 << 17;
    private static final int MEM_MGT_EXTENSIONS = 1 << 21;
    private static final int MEM_WINDOW_TYPE_2 = 1 << 23 | 1 << 24;
    /** Drivers whose devices are parts of the kernel: it copies as any system call does. */
    private static final Set<String> IN_SOFTWARE = Set.of("rxe", "siw");
    private static final Set<String> QUICK = Set.of("bnxt_re", "efa", "erdma", "irdma", "mlx4", "mlx5");
    private static final String CAP_FLAGS = "device_cap_flags";
    private static final int ODP_SUPPORT = 1;
    private static final int ODP_IMPLICIT = 2;
    /** SEND and receives. */
    private static final int ODP_UD = 3;
    /** And WRITE and READ. */
    private static final int ODP_RC = ODP_UD | 4 | 8;
    private static final int ODP_ATOMIC = 16;
    private static final int ODP_SRQ = 32;

    /** Receives that are posted in the error state are flushed when the QP enters it once more. */
    final boolean errFlushesOnEntry;
    /** Of completions of messages that invalidated a key. */
    final int invalidatedFlag;
    /** The library takes no region for a window of type 1 that is bound to nothing. */
    final boolean bindsWithoutRegion;
    final FeatureTable features = new FeatureTable();

    Traits(final IbvAttributes attributes, final String driver, final RegionCalls regions, final boolean windows) {
        byLibrary(regions);
        if (!windows) {
            features.lacks("the device's library has no calls for memory windows", Feature.MEMORY_WINDOWS,
                Feature.MEMORY_WINDOWS_TYPE_2);
        }
        final int flags = attributes.capFlags();
        if (attributes.atomicCap() == 0) {
            features.reportsNo(Feature.ATOMICS, "64-bit atomics", "atomic_cap", 0);
        }
        if ((flags & MEM_MGT_EXTENSIONS) == 0) {
            features.reportsNo(Feature.INVALIDATE, "invalidation of keys", CAP_FLAGS, flags);
        }
        if ((flags & MEM_WINDOW) == 0) {
            features.reportsNo(Feature.MEMORY_WINDOWS, "memory windows of type 1", CAP_FLAGS, flags);
        }
        if ((flags & MEM_WINDOW_TYPE_2) == 0) {
            features.reportsNo(Feature.MEMORY_WINDOWS_TYPE_2, "memory windows of type 2", CAP_FLAGS, flags);
        }
        onDemand(attributes);
        if (!IN_SOFTWARE.contains(driver)) {
            features.lacks(FeatureTable.STORES_PAST_PROCESSOR, Feature.PROCESSOR_STORES);
        }
        errFlushesOnEntry = Quirk.of(driver).contains(Quirk.LATE_RECEIVES_STAY);
        // Either: a kernel that is mended says what the library does.
        invalidatedFlag = Opcodes.WITH_INV
            | (Quirk.of(driver).contains(Quirk.INVALIDATE_FLAG) ? Opcodes.WITH_INV_OF_KERNEL : 0);
        bindsWithoutRegion = !Quirk.of(driver).contains(Quirk.UNBIND_READS_REGION);
        for (final Quirk quirk : Quirk.of(driver)) {
            features.peculiar(quirk.title(), quirk.description(), quirk.features());
        }
    }

    /** Whether its library posts and polls without a system call, and waits for nothing but a spin lock. */
    static boolean isQuick(final String driver) {
        return QUICK.contains(driver);
    }

    private void onDemand(final IbvAttributes attributes) {
        final long general = attributes.odpGeneralCaps();
        final int rc = attributes.odpRcCaps();
        final int ud = attributes.odpUdCaps();
        if ((general & ODP_SUPPORT) == 0) {
            features.lacks(FeatureTable.PINNED_PAGES, Feature.ON_DEMAND_PAGING, Feature.ON_DEMAND_EVERYWHERE,
                Feature.ALL_MEMORY);
            return;
        }
        if ((rc & ODP_RC) != ODP_RC) {
            features.reportsNo(Feature.ON_DEMAND_PAGING, "on-demand paging for all of SEND, receives, WRITE and READ",
                "rc_odp_caps", rc);
        }
        if ((general & ODP_IMPLICIT) == 0) {
            features.reportsNo(Feature.ALL_MEMORY, "regions of all memory", "general_odp_caps", general);
        }
        final int shared = attributes.maxSrq() == 0 ? 0 : ODP_SRQ;
        final int all = ODP_RC | shared | (attributes.atomicCap() == 0 ? 0 : ODP_ATOMIC);
        if ((rc & all) != all) {
            features.reportsNo(Feature.ON_DEMAND_EVERYWHERE, "on-demand paging for atomics or shared receive queues",
                "rc_odp_caps", rc);
        } else if ((ud & (ODP_UD | shared)) != (ODP_UD | shared)) {
            features.reportsNo(Feature.ON_DEMAND_EVERYWHERE, "on-demand paging for all of datagrams", "ud_odp_caps",
                ud);
        }
    }

    private void byLibrary(final RegionCalls regions) {
        features.lacks("libibverbs has no masked atomics", Feature.MASKED_ATOMICS);
        features.lacks("libibverbs has no fast registration, the kernel has it for itself", Feature.FAST_REGISTRATION);
        features.lacks("libibverbs has no RDMA READ that invalidates", Feature.READ_WITH_INVALIDATE);
        features.lacks("libibverbs takes no other pages into a region: close it and register anew", Feature.REFRESH);
        features.lacks("libibverbs cannot take the device's access to a region away and give it back: close it and "
            + "register anew", Feature.SUSPEND);
        features.lacks("libibverbs registers ranges of addresses, not lists of pages", Feature.PAGE_LISTS);
        features.lacks("the kernel fills the GID table from the addresses of the network device: ip addr add there, "
            + "and name one by the option gid", Feature.GID_OF_CHOICE);
        features.lacks("the kernel takes 0 as the address of a region only if its first byte begins a page",
            Feature.ZERO_BASED);
        // Nothing tells these of any device.
        features.lacks("the device does not say whether it begins a request before the one in front of it is over",
            Feature.REQUESTS_IN_TURN);
        features.lacks("the device does not say how it chooses keys", Feature.KEYS_NOT_REUSED);
        if (!regions.hasIova()) {
            features.lacks("this libibverbs has no ibv_reg_mr_iova2, which came with rdma-core 28",
                Feature.IOVA_OF_CHOICE);
        }
        final String whyNoDmaBufs = regions.whyNoDmaBufs();
        if (whyNoDmaBufs != null) {
            features.lacks(whyNoDmaBufs, Feature.DMA_BUFS);
        }
    }
}
