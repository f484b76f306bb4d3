/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import io.rdma4j.driver.pci.DmaDomain;
import io.rdma4j.hw.pvrdma.AtomicOps;
import io.rdma4j.hw.pvrdma.BmmeFlags;
import io.rdma4j.hw.pvrdma.ExtensionFlags;
import io.rdma4j.hw.pvrdma.Uar;
import io.rdma4j.verbs.Feature;
import io.rdma4j.verbs.pvrdma.device.DeviceCaps;
import io.rdma4j.verbs.pvrdma.device.DeviceLimits;
import io.rdma4j.verbs.pvrdma.device.DeviceProfile;
import io.rdma4j.verbs.pvrdma.device.Quirk;
import io.rdma4j.verbs.spi.FeatureTable;

import java.util.List;
import java.util.Locale;

/** What capabilities and quirks of the device mean for this layer, worked out once. Immutable. */
final class Traits {
    /**
     * The emulated device completes by itself, but who polls serves its wire: with 64 half a round trip by shared
     * memory took 1.7 µs, with 8 it takes 1.1.
     */
    private static final int SELDOM = 8;
    private static final int NEVER = Integer.MAX_VALUE;
    private static final int ATOMICS = AtomicOps.PVRDMA_ATOMIC_OP_COMP_SWAP | AtomicOps.PVRDMA_ATOMIC_OP_FETCH_ADD;
    private static final int MASKED_ATOMICS =
        AtomicOps.PVRDMA_ATOMIC_OP_MASK_COMP_SWAP | AtomicOps.PVRDMA_ATOMIC_OP_MASK_FETCH_ADD;
    private static final int INVALIDATE = BmmeFlags.PVRDMA_BMME_FLAG_LOCAL_INV | BmmeFlags.PVRDMA_BMME_FLAG_REMOTE_INV;
    private static final int FAST_REGISTRATION = INVALIDATE | BmmeFlags.PVRDMA_BMME_FLAG_FAST_REG_WR;

    /** Going to ERR flushes nothing: the driver makes those completions. */
    final boolean driverFlushes;
    /** Unsignaled sends complete too: the driver keeps those completions to itself. */
    final boolean alwaysSignals;
    /** All QPs of a SRQ complete into one CQ. */
    final boolean oneCqPerSrq;
    /** Why that is so. */
    final String oneCqReason;
    /** Receives of a SRQ without a QP complete into a CQ of somebody else. */
    final boolean srqNeedsQp;
    /** A request that names an unbound GID hangs the machine. */
    final boolean gidMustStay;
    /** Bits that arm a CQ whatever was asked for; 0 for the usual ones. */
    final int armBits;
    /** How many polls may find nothing until the POLL doorbell rings. */
    final int pokeInterval;
    /** The POLL doorbell hangs the machine if it meets the interrupt of a completion. */
    final boolean pollDeadlocks;
    /** A QP must not be destroyed while the device is at work on a completion of it. */
    final boolean destroyQpRaces;
    /** Completions tell immediate data; else a flag that says so means nothing. */
    final boolean tellsImmData;
    /** Completions tell keys that peers invalidated; else likewise. */
    final boolean tellsInvalidation;
    final FeatureTable features = new FeatureTable();

    Traits(
        final DeviceProfile profile, final DeviceCaps caps, final DeviceLimits limits, final DmaDomain domain) {
        driverFlushes = profile.has(Quirk.NO_FLUSH);
        alwaysSignals = profile.has(Quirk.EVERYTHING_SIGNALED);
        oneCqPerSrq = profile.has(Quirk.SRQ_USES_LAST_RECV_CQ);
        oneCqReason = reason(Quirk.SRQ_USES_LAST_RECV_CQ);
        srqNeedsQp = oneCqPerSrq;
        gidMustStay = profile.has(Quirk.BAD_WQE_LOOPS);
        armBits = profile.has(Quirk.ARM_INVERTED) ? Uar.CQ_ARM | Uar.CQ_ARM_SOL : 0;
        pollDeadlocks = profile.has(Quirk.POLL_DEADLOCKS);
        destroyQpRaces = profile.has(Quirk.DESTROY_QP_RACES);
        // Of a device that nothing is known of, as Linux does: at every one.
        pokeInterval = pollDeadlocks ? NEVER : profile.subsystemId() == DeviceProfile.ANY ? 1 : SELDOM;
        features.lacks("the device is told of ranges that have an end", Feature.ALL_MEMORY);
        features.lacks("the device is told of addresses of this process: register what DmaBuf.open has mapped",
            Feature.DMA_BUFS);
        missingByCaps(caps);
        missingByExtension(limits);
        if (profile.subsystemId() == DeviceProfile.ANY) {
            features.lacks("the device does not say how it chooses keys", Feature.KEYS_NOT_REUSED);
            features.lacks("the device does not say whether it looks for the pages of a region at each access, or "
                + "holds those that were there when it was registered", Feature.REFRESH);
            features.lacks("the device does not say whether it begins a request before the one in front of it is over",
                Feature.REQUESTS_IN_TURN);
        }
        if (!domain.refreshes()) {
            features.lacks("what the device reaches cannot be mapped to other pages at the same place",
                Feature.REFRESH);
        }
        if (!domain.storesByProcessor()) {
            features.lacks(FeatureTable.STORES_PAST_PROCESSOR, Feature.PROCESSOR_STORES);
        }
        missingByQuirk(profile);
        for (final Feature part : List.of(Feature.RDMA_READ, Feature.INVALIDATE)) {
            if (!features.has(part)) {
                features.lacks(features.whyNot(part), Feature.READ_WITH_INVALIDATE);
            }
        }
        tellsImmData = features.has(Feature.SEND_WITH_IMM);
        tellsInvalidation = features.has(Feature.INVALIDATE);
        for (final Quirk quirk : profile.quirks()) {
            features.peculiar(quirk.name().toLowerCase(Locale.ROOT).replace('_', '-'), quirk.description());
        }
    }

    private void missingByCaps(final DeviceCaps caps) {
        if ((caps.atomicOps() & MASKED_ATOMICS) != MASKED_ATOMICS) {
            features.reportsNo(Feature.MASKED_ATOMICS, "masked atomics", "atomic_ops", caps.atomicOps());
        }
        if ((caps.atomicOps() & ATOMICS) != ATOMICS) {
            features.reportsNo(Feature.ATOMICS, "64-bit atomics", "atomic_ops", caps.atomicOps());
        }
        if ((caps.bmmeFlags() & INVALIDATE) != INVALIDATE) {
            features.reportsNo(Feature.INVALIDATE, "invalidation of keys", "bmme_flags", caps.bmmeFlags());
        }
        if ((caps.bmmeFlags() & FAST_REGISTRATION) != FAST_REGISTRATION || caps.maxFastRegPageListLen() == 0) {
            features.reportsNo(Feature.FAST_REGISTRATION, "fast registration", "bmme_flags", caps.bmmeFlags());
        }
        if (caps.maxSrq() == 0) {
            features.reportsNo(Feature.SRQ_LIMIT_EVENT, "shared receive queues", "max_srq", 0);
        }
    }

    /** What the interface, as the Linux driver knows it, has no means for: an extension of this project's device. */
    private void missingByExtension(final DeviceLimits limits) {
        if (limits.maxMw() == 0) {
            // No command allocates a window, and the work request that would bind one has no layout.
            features.lacks("the device's interface has no memory windows", Feature.MEMORY_WINDOWS,
                Feature.MEMORY_WINDOWS_TYPE_2);
        }
        if (!limits.hasExtension(ExtensionFlags.RDMA4J_EXT_CQ_RESIZE)) {
            features.lacks("the device's interface has no way to give a completion queue the memory for another size",
                Feature.CQ_RESIZE);
        }
        if (!limits.hasExtension(ExtensionFlags.RDMA4J_EXT_LARGE_REGIONS)) {
            features.lacks("the device's page directories reach 262144 pages, 1 GiB", Feature.LARGE_REGIONS);
        }
        if (!limits.hasExtension(ExtensionFlags.RDMA4J_EXT_ON_DEMAND_PAGING)) {
            features.lacks(FeatureTable.PINNED_PAGES, Feature.ON_DEMAND_PAGING, Feature.ON_DEMAND_EVERYWHERE,
                Feature.SUSPEND);
        }
    }

    private void missingByQuirk(final DeviceProfile profile) {
        missing(profile, Quirk.SEND_ONLY, Feature.RDMA_WRITE, Feature.RDMA_READ, Feature.ATOMICS,
            Feature.MASKED_ATOMICS, Feature.INVALIDATE, Feature.FAST_REGISTRATION);
        if (profile.has(Quirk.SEND_ONLY)) {
            features.lacks("the device hands requests to another one, which may begin several",
                Feature.REQUESTS_IN_TURN);
        }
        missing(profile, Quirk.NO_IMMEDIATE, Feature.SEND_WITH_IMM);
        missing(profile, Quirk.ARM_INVERTED, Feature.SOLICITED);
        missing(profile, Quirk.NO_FLUSH, Feature.QP_FLUSH);
        missing(profile, Quirk.QP_NOT_REUSABLE, Feature.QP_RESET);
        missing(profile, Quirk.QUERY_QP_GARBAGE, Feature.QP_QUERY_ALL);
        missing(profile, Quirk.NO_SRQ_LIMIT_EVENT, Feature.SRQ_LIMIT_EVENT);
        missing(profile, Quirk.NO_ASYNC_EVENTS, Feature.ASYNC_EVENTS, Feature.QP_EVENTS);
        missing(profile, Quirk.PORT_DOWN_ADVISORY, Feature.PORT_STATE);
        missing(profile, Quirk.RKEY_ALL_ONES, Feature.REMOTE_KEYS);
        missing(profile, Quirk.MR_KEYS_REUSED, Feature.KEYS_NOT_REUSED);
        missing(profile, Quirk.MR_START_ZERO_LEAKS, Feature.ZERO_BASED);
        missing(profile, Quirk.MR_WHOLE_PAGES, Feature.BYTE_EXACT_REGIONS);
        missing(profile, Quirk.FAILED_POST_LOSES_COMPLETION, Feature.PROTECTION_ERRORS);
        missing(profile, Quirk.NO_FAST_REG, Feature.FAST_REGISTRATION);
        missing(profile, Quirk.MR_PAGES_HELD, Feature.REFRESH);
    }

    private void missing(final DeviceProfile profile, final Quirk quirk, final Feature... lost) {
        if (profile.has(quirk)) {
            features.lacks(reason(quirk), lost);
        }
    }

    private static String reason(final Quirk quirk) {
        return "the device " + quirk.description();
    }
}
