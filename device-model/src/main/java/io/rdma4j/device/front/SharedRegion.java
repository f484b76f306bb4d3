/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.front;

import io.rdma4j.device.common.CommandError;
import io.rdma4j.device.common.DeviceOptions;
import io.rdma4j.device.common.Limits;
import io.rdma4j.device.common.Quirk;
import io.rdma4j.device.memory.EmulatedIommu;
import io.rdma4j.device.memory.PageTable;
import io.rdma4j.driver.libc.FaultableMemory;
import io.rdma4j.hw.pvrdma.AtomicOps;
import io.rdma4j.hw.pvrdma.Bar1;
import io.rdma4j.hw.pvrdma.BmmeFlags;
import io.rdma4j.hw.pvrdma.Caps;
import io.rdma4j.hw.pvrdma.DeviceMode;
import io.rdma4j.hw.pvrdma.Dsr;
import io.rdma4j.hw.pvrdma.ExtensionFlags;
import io.rdma4j.hw.pvrdma.GidType;
import io.rdma4j.hw.pvrdma.Pdir;

import org.agrona.concurrent.UnsafeBuffer;

/** What the driver tells the device in the shared region, checked; and what the device tells the driver there. */
final class SharedRegion {
    /** Advertised by QEMU, where it counts bytes and not pages. */
    private static final int QEMU_MAX_UAR = 2_097_152;
    private static final long FIRMWARE = 1L << 32;
    private static final long QEMU_FIRMWARE = 14;
    private static final int RC_RNR_NAK_GEN = 1 << 12;

    private final long commandSlot;
    private final long responseSlot;
    private final PageTable asyncPages;
    private final PageTable notificationPages;

    private SharedRegion(EmulatedIommu iommu, Dsr dsr) {
        commandSlot = slot(iommu, dsr.cmdSlotDma());
        responseSlot = slot(iommu, dsr.respSlotDma());
        asyncPages = ring(iommu, dsr.asyncRingPdirDma(), dsr.asyncRingNumPages());
        notificationPages = ring(iommu, dsr.cqRingPdirDma(), dsr.cqRingNumPages());
    }

    private static long slot(EmulatedIommu iommu, long iova) {
        if (iova == 0 || (iova & Pdir.PAGE_SIZE - 1) != 0) {
            throw CommandError.invalid("a slot at iova 0x%x: must be a page, not at 0", iova);
        }
        iommu.translate(iova, Pdir.PAGE_SIZE);
        return iova;
    }

    private static PageTable ring(EmulatedIommu iommu, long pdir, int pages) {
        if (pages < 2 || pages > Limits.MAX_EVENT_RING_PAGES) {
            throw CommandError.invalid("an event ring of %d pages: allowed are 2 to %d", pages,
                Limits.MAX_EVENT_RING_PAGES);
        }
        return PageTable.walk(iommu, pdir, pages);
    }

    /**
     * Reads the region once, checks it, and fills in the capabilities.
     *
     * @param iommu    translates.
     * @param iova     of the region.
     * @param options  of the device.
     * @return what the driver asked for.
     */
    static SharedRegion load(EmulatedIommu iommu, long iova, DeviceOptions options) {
        if (iova == 0 || (iova & 7) != 0) {
            throw CommandError.invalid("a shared region at iova 0x%x: must be aligned and not at 0", iova);
        }
        final UnsafeBuffer shared = new UnsafeBuffer(iommu.translate(iova, Dsr.LENGTH), Dsr.LENGTH);
        final UnsafeBuffer copy = new UnsafeBuffer(new byte[Dsr.LENGTH]);
        copy.putBytes(0, shared, 0, Dsr.LENGTH);
        final Dsr dsr = new Dsr().wrap(copy, 0);
        final SharedRegion region = new SharedRegion(iommu, dsr);
        if (options.has(Quirk.ZERO_CAPS)) {
            fillLikeQemu(dsr.caps(), options);
        } else {
            fill(dsr.caps().clear(), options);
        }
        shared.putBytes(Dsr.CAPS_OFFSET, copy, Dsr.CAPS_OFFSET, Caps.LENGTH);
        return region;
    }

    private static void fill(Caps caps, DeviceOptions options) {
        fillCounts(caps, options.limits());
        final boolean v2 = options.version() >= Bar1.PVRDMA_ROCEV2_VERSION;
        caps.fwVer(options.has(Quirk.IDENTITY) ? QEMU_FIRMWARE : FIRMWARE)
            .nodeGuid(options.identity().guid()).sysImageGuid(options.identity().guid())
            .pageSizeCap(Pdir.PAGE_SIZE).vendorId(Bar1.PVRDMA_VENDOR_ID).vendorPartId(Bar1.PVRDMA_DEVICE_ID).hwVer(1)
            .deviceCapFlags(RC_RNR_NAK_GEN)
            .atomicOps(AtomicOps.PVRDMA_ATOMIC_OP_COMP_SWAP | AtomicOps.PVRDMA_ATOMIC_OP_FETCH_ADD
                | AtomicOps.PVRDMA_ATOMIC_OP_MASK_COMP_SWAP | AtomicOps.PVRDMA_ATOMIC_OP_MASK_FETCH_ADD)
            .atomicArgSizes(Long.BYTES).maxFaBitBoundary(Long.SIZE)
            .maxSgeRd(v2 ? options.limits().maxSge() : 0)
            .maxQpRdAtom(options.limits().maxRdAtomic()).maxQpInitRdAtom(options.limits().maxRdAtomic())
            .maxResRdAtom(options.limits().maxRdAtomic() * options.limits().maxQp())
            .localCaAckDelay(5)
            .gidTypes(v2 ? GidType.PVRDMA_GID_TYPE_FLAG_ROCE_V2 : GidType.PVRDMA_GID_TYPE_FLAG_ROCE_V1);
        if (!options.has(Quirk.ONLY_SEND) && !options.has(Quirk.PLAIN_HANDLES)) {
            caps.bmmeFlags(BmmeFlags.PVRDMA_BMME_FLAG_LOCAL_INV | BmmeFlags.PVRDMA_BMME_FLAG_REMOTE_INV
                | BmmeFlags.PVRDMA_BMME_FLAG_FAST_REG_WR).maxFastRegPageListLen(v2 ? Limits.MAX_FAST_REG_PAGES : 0);
        }
        if (options.extensions()) {
            caps.deviceCapFlags2(ExtensionFlags.RDMA4J_EXT_MEMORY_WINDOWS | ExtensionFlags.RDMA4J_EXT_CQ_RESIZE
                | ExtensionFlags.RDMA4J_EXT_LARGE_REGIONS | onDemand()).maxMw(options.limits().maxMw());
        }
    }

    /** Not where the system does not let the device copy what may be missing. */
    private static int onDemand() {
        return FaultableMemory.isAvailable() ? ExtensionFlags.RDMA4J_EXT_ON_DEMAND_PAGING : 0;
    }

    private static void fillLikeQemu(Caps caps, DeviceOptions options) {
        fillCounts(caps, options.limits());
        caps.fwVer(QEMU_FIRMWARE).nodeGuid(options.identity().guid()).maxAh(64).maxUar(QEMU_MAX_UAR)
            .gidTypes(caps.gidTypes() | GidType.PVRDMA_GID_TYPE_FLAG_ROCE_V1);
    }

    private static void fillCounts(Caps caps, Limits limits) {
        caps.mode(DeviceMode.PVRDMA_DEVICE_MODE_ROCE).maxMrSize(limits.maxMrSize())
            .maxQp(limits.maxQp()).maxQpWr(limits.maxQpWr()).maxSge(limits.maxSge())
            .maxCq(limits.maxCq()).maxCqe(limits.maxCqe()).maxMr(limits.maxMr()).maxPd(limits.maxPd())
            .maxSrq(limits.maxSrq()).maxSrqWr(limits.maxSrqWr()).maxSrqSge(limits.maxSge())
            .maxAh(1 << 16).maxUar(limits.maxUar()).gidTblLen(limits.gidEntries()).maxPkeys(1).physPortCnt(1);
    }

    long commandSlot() {
        return commandSlot;
    }

    long responseSlot() {
        return responseSlot;
    }

    PageTable asyncPages() {
        return asyncPages;
    }

    PageTable notificationPages() {
        return notificationPages;
    }
}
