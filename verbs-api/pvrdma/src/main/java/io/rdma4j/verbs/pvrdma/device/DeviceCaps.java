/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma.device;

import static io.rdma4j.hw.pvrdma.Caps.*;

import io.rdma4j.hw.pvrdma.Bar1;
import io.rdma4j.hw.pvrdma.BmmeFlags;
import io.rdma4j.hw.pvrdma.Caps;

/**
 * A copy of the capabilities that the device wrote into the shared region, with the gaps filled that old or quirky
 * devices leave. Counts above 2^31 - 1 are given as 2^31 - 1. What of it is really usable is in {@link DeviceLimits}.
 *
 * @param fwVer                 firmware version: major in the upper half, then 16 bits minor, 16 bits sub-minor.
 * @param nodeGuid              GUID of the device.
 * @param sysImageGuid          GUID of the system.
 * @param maxMrSize             bytes of the largest region.
 * @param pageSizeCap           page sizes, a bit for each power of two.
 * @param atomicArgSizes        operand sizes of masked atomics.
 * @param exCompMask            which extended fields are valid.
 * @param deviceCapFlags2       extended flags; on devices of this project {@link io.rdma4j.hw.pvrdma.ExtensionFlags}.
 * @param maxFaBitBoundary      of masked fetch and add.
 * @param logMaxAtomicInlineArg of masked atomics.
 * @param vendorId              vendor of the device.
 * @param vendorPartId          its part.
 * @param hwVer                 its hardware version.
 * @param maxQp                 queue pairs.
 * @param maxQpWr               entries of a work queue.
 * @param deviceCapFlags        flags.
 * @param maxSge                SGEs of a work request.
 * @param maxSgeRd              SGEs of an RDMA READ.
 * @param maxCq                 completion queues.
 * @param maxCqe                entries of a completion queue.
 * @param maxMr                 memory regions.
 * @param maxPd                 protection domains.
 * @param maxQpRdAtom           READs and atomics that a QP answers at a time.
 * @param maxResRdAtom          READs and atomics that the device answers at a time.
 * @param maxQpInitRdAtom       READs and atomics that a QP starts at a time.
 * @param maxMw                 memory windows.
 * @param maxMcastGrp           multicast groups.
 * @param maxMcastQpAttach      QPs of a multicast group.
 * @param maxTotalMcastQpAttach QPs of all multicast groups.
 * @param maxAh                 address handles.
 * @param maxSrq                shared receive queues.
 * @param maxSrqWr              entries of a shared receive queue.
 * @param maxSrqSge             SGEs of its work requests.
 * @param maxUar                UAR pages.
 * @param gidTblLen             entries of the GID table.
 * @param maxPkeys              entries of the P_Key table.
 * @param localCaAckDelay       as in the InfiniBand specification.
 * @param physPortCnt           ports.
 * @param mode                  {@link io.rdma4j.hw.pvrdma.DeviceMode}.
 * @param atomicOps             {@link io.rdma4j.hw.pvrdma.AtomicOps}.
 * @param bmmeFlags             {@link BmmeFlags}.
 * @param gidTypes              {@link io.rdma4j.hw.pvrdma.GidType}.
 * @param maxFastRegPageListLen pages of a fast registration.
 */
public record DeviceCaps(
    long fwVer, long nodeGuid, long sysImageGuid, long maxMrSize, long pageSizeCap, long atomicArgSizes,
    int exCompMask, int deviceCapFlags2, int maxFaBitBoundary, int logMaxAtomicInlineArg, int vendorId,
    int vendorPartId, int hwVer, int maxQp, int maxQpWr, int deviceCapFlags, int maxSge, int maxSgeRd, int maxCq,
    int maxCqe, int maxMr, int maxPd, int maxQpRdAtom, int maxResRdAtom, int maxQpInitRdAtom, int maxMw,
    int maxMcastGrp, int maxMcastQpAttach, int maxTotalMcastQpAttach, int maxAh, int maxSrq, int maxSrqWr,
    int maxSrqSge, int maxUar, int gidTblLen, int maxPkeys, int localCaAckDelay, int physPortCnt, int mode,
    int atomicOps, int bmmeFlags, int gidTypes, int maxFastRegPageListLen) {

    /** Of devices before {@link Bar1#PVRDMA_ROCEV2_VERSION}, which do not tell. */
    private static final int OLD_FAST_REG_PAGE_LIST_LEN = 128;
    private static final int PAGE_SIZES = 4096;

    /**
     * Copies what the device wrote.
     *
     * @param c       the capabilities in the shared region.
     * @param version the VERSION register: before 18 two capabilities are not valid.
     * @param profile tells which others the device leaves zero.
     * @return the copy.
     */
    public static DeviceCaps of(final Caps c, final int version, final DeviceProfile profile) {
        final boolean gaps = profile.has(Quirk.CAPS_LEFT_ZERO);
        final boolean old = version < Bar1.PVRDMA_ROCEV2_VERSION;
        return new DeviceCaps(
            c.get(FW_VER), c.get(NODE_GUID), c.get(SYS_IMAGE_GUID),
            c.get(MAX_MR_SIZE) < 0 ? Long.MAX_VALUE : c.get(MAX_MR_SIZE),
            gaps && c.get(PAGE_SIZE_CAP) == 0 ? PAGE_SIZES : c.get(PAGE_SIZE_CAP), c.get(ATOMIC_ARG_SIZES),
            c.get(EX_COMP_MASK), c.get(DEVICE_CAP_FLAGS2), count(c.get(MAX_FA_BIT_BOUNDARY)),
            count(c.get(LOG_MAX_ATOMIC_INLINE_ARG)),
            gaps && c.get(VENDOR_ID) == 0 ? Bar1.PVRDMA_VENDOR_ID : c.get(VENDOR_ID),
            gaps && c.get(VENDOR_PART_ID) == 0 ? Bar1.PVRDMA_DEVICE_ID : c.get(VENDOR_PART_ID), c.get(HW_VER),
            count(c.get(MAX_QP)), count(c.get(MAX_QP_WR)), c.get(DEVICE_CAP_FLAGS), count(c.get(MAX_SGE)),
            count(old ? c.get(MAX_SGE) : c.get(MAX_SGE_RD)), count(c.get(MAX_CQ)), count(c.get(MAX_CQE)),
            count(c.get(MAX_MR)), count(c.get(MAX_PD)), atLeastOne(gaps, c.get(MAX_QP_RD_ATOM)),
            count(c.get(MAX_RES_RD_ATOM)), atLeastOne(gaps, c.get(MAX_QP_INIT_RD_ATOM)), count(c.get(MAX_MW)),
            count(c.get(MAX_MCAST_GRP)), count(c.get(MAX_MCAST_QP_ATTACH)), count(c.get(MAX_TOTAL_MCAST_QP_ATTACH)),
            count(c.get(MAX_AH)), count(c.get(MAX_SRQ)), count(c.get(MAX_SRQ_WR)), count(c.get(MAX_SRQ_SGE)),
            profile.has(Quirk.MAX_UAR_IS_BYTES) ? 1 : count(c.get(MAX_UAR)), count(c.get(GID_TBL_LEN)),
            c.get(MAX_PKEYS), c.get(LOCAL_CA_ACK_DELAY), c.get(PHYS_PORT_CNT), c.get(MODE), c.get(ATOMIC_OPS),
            c.get(BMME_FLAGS), c.get(GID_TYPES),
            profile.has(Quirk.NO_FAST_REG) ? 0 : old ? OLD_FAST_REG_PAGE_LIST_LEN
                : count(c.get(MAX_FAST_REG_PAGE_LIST_LEN)));
    }

    private static int count(final int unsigned) {
        return unsigned < 0 ? Integer.MAX_VALUE : unsigned;
    }

    private static int atLeastOne(final boolean gaps, final int unsigned) {
        return gaps && unsigned == 0 ? 1 : count(unsigned);
    }

    /**
     * The firmware version in the usual writing.
     *
     * @return {@code major.minor.subminor}.
     */
    public String firmwareVersion() {
        return (fwVer >>> 32) + "." + (fwVer >>> 16 & 0xffff) + "." + (fwVer & 0xffff);
    }
}
