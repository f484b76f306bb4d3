/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.front;

import static io.rdma4j.hw.pvrdma.Caps.*;

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
        commandSlot = slot(iommu, dsr.get(Dsr.CMD_SLOT_DMA));
        responseSlot = slot(iommu, dsr.get(Dsr.RESP_SLOT_DMA));
        asyncPages = ring(iommu, dsr.get(Dsr.ASYNC_RING_PAGES_PDIR_DMA), dsr.get(Dsr.ASYNC_RING_PAGES_NUM_PAGES));
        notificationPages = ring(iommu, dsr.get(Dsr.CQ_RING_PAGES_PDIR_DMA), dsr.get(Dsr.CQ_RING_PAGES_NUM_PAGES));
    }

    private static long slot(EmulatedIommu iommu, long iova) {
        if (iommu.isNowhere(iova, Pdir.PAGE_SIZE)) {
            throw CommandError.invalid("a slot at iova 0x%x: must be a page, at 0 only if that is mapped", iova);
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
        if (iommu.isNowhere(iova, Long.BYTES)) {
            throw CommandError.invalid("a shared region at iova 0x%x: must be aligned, at 0 only if that is mapped",
                iova);
        }
        final UnsafeBuffer shared = new UnsafeBuffer(iommu.translate(iova, Dsr.LAYOUT.length()), Dsr.LAYOUT.length());
        final UnsafeBuffer copy = new UnsafeBuffer(new byte[Dsr.LAYOUT.length()]);
        copy.putBytes(0, shared, 0, Dsr.LAYOUT.length());
        final Dsr dsr = new Dsr().wrap(copy, 0);
        final SharedRegion region = new SharedRegion(iommu, dsr);
        if (options.has(Quirk.ZERO_CAPS)) {
            fillLikeQemu(dsr.get(Dsr.CAPS), options);
        } else {
            fill(dsr.get(Dsr.CAPS).clear(), options);
        }
        shared.putBytes(Dsr.CAPS.offset(), copy, Dsr.CAPS.offset(), Caps.LAYOUT.length());
        return region;
    }

    private static void fill(Caps caps, DeviceOptions options) {
        fillCounts(caps, options.limits());
        final boolean v2 = options.version() >= Bar1.PVRDMA_ROCEV2_VERSION;
        caps.set(FW_VER, options.has(Quirk.IDENTITY) ? QEMU_FIRMWARE : FIRMWARE)
            .set(NODE_GUID, options.identity().guid()).set(SYS_IMAGE_GUID, options.identity().guid())
            .set(PAGE_SIZE_CAP, Pdir.PAGE_SIZE).set(VENDOR_ID, Bar1.PVRDMA_VENDOR_ID)
            .set(VENDOR_PART_ID, Bar1.PVRDMA_DEVICE_ID).set(HW_VER, 1).set(DEVICE_CAP_FLAGS, RC_RNR_NAK_GEN)
            .set(ATOMIC_OPS, AtomicOps.PVRDMA_ATOMIC_OP_COMP_SWAP | AtomicOps.PVRDMA_ATOMIC_OP_FETCH_ADD
                | AtomicOps.PVRDMA_ATOMIC_OP_MASK_COMP_SWAP | AtomicOps.PVRDMA_ATOMIC_OP_MASK_FETCH_ADD)
            .set(ATOMIC_ARG_SIZES, Long.BYTES).set(MAX_FA_BIT_BOUNDARY, Long.SIZE)
            .set(MAX_SGE_RD, v2 ? options.limits().maxSge() : 0)
            .set(MAX_QP_RD_ATOM, options.limits().maxRdAtomic())
            .set(MAX_QP_INIT_RD_ATOM, options.limits().maxRdAtomic())
            .set(MAX_RES_RD_ATOM, options.limits().maxRdAtomic() * options.limits().maxQp())
            .set(LOCAL_CA_ACK_DELAY, 5)
            .set(GID_TYPES, v2 ? GidType.PVRDMA_GID_TYPE_FLAG_ROCE_V2 : GidType.PVRDMA_GID_TYPE_FLAG_ROCE_V1);
        if (!options.has(Quirk.ONLY_SEND) && !options.has(Quirk.PLAIN_HANDLES)) {
            caps.set(BMME_FLAGS, BmmeFlags.PVRDMA_BMME_FLAG_LOCAL_INV | BmmeFlags.PVRDMA_BMME_FLAG_REMOTE_INV
                | BmmeFlags.PVRDMA_BMME_FLAG_FAST_REG_WR)
                    .set(MAX_FAST_REG_PAGE_LIST_LEN, v2 ? Limits.MAX_FAST_REG_PAGES : 0);
        }
        if (options.extensions()) {
            caps.set(DEVICE_CAP_FLAGS2, ExtensionFlags.RDMA4J_EXT_MEMORY_WINDOWS | ExtensionFlags.RDMA4J_EXT_CQ_RESIZE
                | ExtensionFlags.RDMA4J_EXT_LARGE_REGIONS | onDemand()).set(MAX_MW, options.limits().maxMw());
        }
    }

    /** Not where the system does not let the device copy what may be missing. */
    private static int onDemand() {
        return FaultableMemory.isAvailable() ? ExtensionFlags.RDMA4J_EXT_ON_DEMAND_PAGING : 0;
    }

    private static void fillLikeQemu(Caps caps, DeviceOptions options) {
        fillCounts(caps, options.limits());
        caps.set(FW_VER, QEMU_FIRMWARE).set(NODE_GUID, options.identity().guid()).set(MAX_AH, 64)
            .set(MAX_UAR, QEMU_MAX_UAR).set(GID_TYPES, caps.get(GID_TYPES) | GidType.PVRDMA_GID_TYPE_FLAG_ROCE_V1);
    }

    private static void fillCounts(Caps caps, Limits limits) {
        caps.set(MODE, DeviceMode.PVRDMA_DEVICE_MODE_ROCE).set(MAX_MR_SIZE, limits.maxMrSize())
            .set(MAX_QP, limits.maxQp()).set(MAX_QP_WR, limits.maxQpWr()).set(MAX_SGE, limits.maxSge())
            .set(MAX_CQ, limits.maxCq()).set(MAX_CQE, limits.maxCqe()).set(MAX_MR, limits.maxMr())
            .set(MAX_PD, limits.maxPd())
            .set(MAX_SRQ, limits.maxSrq()).set(MAX_SRQ_WR, limits.maxSrqWr()).set(MAX_SRQ_SGE, limits.maxSge())
            .set(MAX_AH, 1 << 16).set(MAX_UAR, limits.maxUar()).set(GID_TBL_LEN, limits.gidEntries()).set(MAX_PKEYS, 1)
            .set(PHYS_PORT_CNT, 1);
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
