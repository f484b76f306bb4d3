/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma.device;

import io.rdma4j.hw.pvrdma.Bar1;
import io.rdma4j.hw.pvrdma.BmmeFlags;
import io.rdma4j.hw.pvrdma.Cqe;
import io.rdma4j.hw.pvrdma.ExtensionFlags;
import io.rdma4j.hw.pvrdma.Pdir;
import io.rdma4j.hw.pvrdma.RqWqe;
import io.rdma4j.hw.pvrdma.SqWqe;

/**
 * What the device can really do: its capabilities, lowered to what page directories, the 16-bit page counts of
 * CREATE_QP and the device's quirks allow. Ring sizes are powers of two. Immutable.
 */
public final class DeviceLimits {
    /** GIDs that can be named: an address vector, and a work request, have a byte for the index. */
    public static final int MAX_GIDS = 1 << 8;

    private final DeviceCaps caps;
    private final DeviceProfile profile;

    DeviceLimits(final DeviceCaps caps, final DeviceProfile profile) {
        this.caps = caps;
        this.profile = profile;
    }

    /**
     * Entries of a send queue.
     *
     * @param maxSge SGEs of each, 1 to {@link #maxSge()}.
     * @return a power of two, 0 if no queue is possible.
     * @throws IllegalArgumentException if the number of SGEs is out of range.
     */
    public int maxSendWr(final int maxSge) {
        return entries(caps.maxQpWr(), SqWqe.stride(checkSge(maxSge, maxSge())), workQueuePages());
    }

    /**
     * Entries of a receive queue.
     *
     * @param maxSge SGEs of each, 1 to {@link #maxSge()}.
     * @return a power of two, 0 if no queue is possible.
     * @throws IllegalArgumentException if the number of SGEs is out of range.
     */
    public int maxRecvWr(final int maxSge) {
        return entries(caps.maxQpWr(), RqWqe.stride(checkSge(maxSge, maxSge())), workQueuePages());
    }

    /**
     * Entries of a shared receive queue.
     *
     * @param maxSge SGEs of each, 1 to {@link #maxSrqSge()}.
     * @return a power of two, 0 if no queue is possible.
     * @throws IllegalArgumentException if the number of SGEs is out of range.
     */
    public int maxSrqWr(final int maxSge) {
        return entries(caps.maxSrqWr(), RqWqe.stride(checkSge(maxSge, maxSrqSge())), profile.maxRingPages() - 1);
    }

    /**
     * Entries of a completion queue.
     *
     * @return a power of two, 0 if no queue is possible.
     */
    public int maxCqe() {
        return entries(caps.maxCqe(), Cqe.LENGTH, profile.maxRingPages() - 1);
    }

    /**
     * Entries of the largest work queue, with one SGE each. A queue with more SGEs has fewer.
     *
     * @return a power of two, 0 if no queue is possible.
     */
    public int maxQpWr() {
        return maxSge() == 0 ? 0 : Math.min(maxSendWr(1), maxRecvWr(1));
    }

    /** Without a smaller limit the two queues of a QP share the 16-bit page count, so each may have half of it. */
    private int workQueuePages() {
        return Math.min(profile.maxRingPages(), (1 << 15) - 1);
    }

    private static int entries(final int cap, final int stride, final int pages) {
        final long fitting = Math.min(cap, (long) Math.min(pages, Pdir.MAX_PAGES - 1) * Pdir.PAGE_SIZE / stride);
        return Integer.highestOneBit((int) Math.max(0, Math.min(fitting, 1 << 30)));
    }

    private static int checkSge(final int sge, final int limit) {
        if (sge < 1 || sge > limit) {
            throw new IllegalArgumentException(sge + " SGEs, allowed are 1 to " + limit);
        }
        return sge;
    }

    /**
     * SGEs of a work request.
     *
     * @return at least 0.
     */
    public int maxSge() {
        return Math.min(caps.maxSge(), SqWqe.MAX_SGE);
    }

    /**
     * SGEs of an RDMA READ.
     *
     * @return at least 0.
     */
    public int maxSgeRd() {
        return Math.min(caps.maxSgeRd(), maxSge());
    }

    /**
     * SGEs of a work request of a shared receive queue.
     *
     * @return at least 0; the same as {@link #maxSge()} where the device does not tell.
     */
    public int maxSrqSge() {
        return caps.maxSrqSge() == 0 ? maxSge() : Math.min(caps.maxSrqSge(), maxSge());
    }

    /**
     * Queue pairs.
     *
     * @return at least 0.
     */
    public int maxQp() {
        return caps.maxQp();
    }

    /**
     * Completion queues.
     *
     * @return at least 0.
     */
    public int maxCq() {
        return caps.maxCq();
    }

    /**
     * Queue pairs that the device gives: the handle 0 is none on the emulated one, and where handles are numbers of
     * queue pairs, nor is that of the one for general services.
     *
     * @param version of the device.
     * @return at least 0.
     */
    public int usableQps(final int version) {
        return usable(maxQp(), version < Bar1.PVRDMA_QPHANDLE_VERSION ? 2 : 1);
    }

    /**
     * Completion queues that the device gives, likewise.
     *
     * @return at least 0.
     */
    public int usableCqs() {
        return usable(maxCq(), 1);
    }

    private int usable(final int places, final int kept) {
        return profile.hasExtensions() ? Math.max(0, places - kept) : places;
    }

    /**
     * Memory regions.
     *
     * @return at least 0.
     */
    public int maxMr() {
        return caps.maxMr();
    }

    /**
     * Protection domains.
     *
     * @return at least 0.
     */
    public int maxPd() {
        return caps.maxPd();
    }

    /**
     * Shared receive queues.
     *
     * @return at least 0.
     */
    public int maxSrq() {
        return caps.maxSrq();
    }

    /**
     * Address handles.
     *
     * @return at least 0.
     */
    public int maxAh() {
        return caps.maxAh();
    }

    /**
     * Bytes of a memory region, if it begins at a page boundary.
     *
     * @return at most what {@link #maxMrPages()} hold.
     */
    public long maxMrSize() {
        return Math.min(caps.maxMrSize(), (long) maxMrPages() * Pdir.PAGE_SIZE);
    }

    /**
     * Pages of a memory region.
     *
     * @return what one page directory reaches, 1 GiB; with large regions what a root page reaches, 512 GiB.
     */
    public int maxMrPages() {
        return hasExtension(ExtensionFlags.RDMA4J_EXT_LARGE_REGIONS) ? Pdir.LARGE_MAX_PAGES : Pdir.MAX_PAGES;
    }

    /**
     * Pages of a fast registration.
     *
     * @return 0 if the device has none.
     */
    public int maxFastRegPages() {
        return BmmeFlags.hasFastRegistration(caps.bmmeFlags())
            ? Math.min(caps.maxFastRegPageListLen(), Pdir.MAX_PAGES) : 0;
    }

    /**
     * Memory windows.
     *
     * @return 0 if the device has none.
     */
    public int maxMw() {
        return hasExtension(ExtensionFlags.RDMA4J_EXT_MEMORY_WINDOWS) ? caps.maxMw() : 0;
    }

    /**
     * Whether the device has an extension of the pvrdma interface.
     *
     * @param flag one of {@link ExtensionFlags}.
     * @return true if it is a device of this project and says so.
     */
    public boolean hasExtension(final int flag) {
        return profile.hasExtensions() && (caps.deviceCapFlags2() & flag) != 0;
    }

    /**
     * Entries of the GID table.
     *
     * @return at least 0.
     */
    public int gidTableLength() {
        return Math.min(caps.gidTblLen(), MAX_GIDS);
    }

    /**
     * Entries of the P_Key table.
     *
     * @return at least 0.
     */
    public int maxPkeys() {
        return caps.maxPkeys();
    }

    /**
     * Ports, numbered from 1.
     *
     * @return at least 0.
     */
    public int physPortCnt() {
        return caps.physPortCnt();
    }

    @Override
    public String toString() {
        final int sge = maxSge();
        return String.format("DeviceLimits[qp=%d cq=%d mr=%d pd=%d srq=%d ah=%d sge=%d sq=%d rq=%d cqe=%d srqWr=%d "
            + "mrSize=%d gids=%d]", maxQp(), maxCq(), maxMr(), maxPd(), maxSrq(), maxAh(), sge,
            sge == 0 ? 0 : maxSendWr(sge), sge == 0 ? 0 : maxRecvWr(sge), maxCqe(),
            maxSrqSge() == 0 ? 0 : maxSrqWr(maxSrqSge()), maxMrSize(), gidTableLength());
    }
}
