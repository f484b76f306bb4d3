/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.common;

/**
 * The device's maxima, enforced before anything is allocated.
 *
 * @param maxQp       queue pairs.
 * @param maxCq       completion queues.
 * @param maxMr       memory regions.
 * @param maxMw       memory windows.
 * @param maxPd       protection domains.
 * @param maxSrq      shared receive queues.
 * @param maxUar      doorbell pages, a power of two.
 * @param maxQpWr     work requests in a send or receive queue.
 * @param maxCqe      entries of a completion queue.
 * @param maxSrqWr    work requests in a shared receive queue.
 * @param maxSge      scatter-gather entries of a work request.
 * @param maxMrSize   bytes of a region.
 * @param maxRdAtomic RDMA reads and atomics outstanding on a QP.
 * @param gidEntries  GID table entries.
 * @param mtu         enum 1..5 for 256..4096 bytes.
 */
public record Limits(
    int maxQp, int maxCq, int maxMr, int maxMw, int maxPd, int maxSrq, int maxUar, int maxQpWr, int maxCqe,
    int maxSrqWr, int maxSge, long maxMrSize, int maxRdAtomic, int gidEntries, int mtu) {
    /** Longest message, as port_attr.max_msg_sz says. */
    public static final int MAX_MESSAGE = 1 << 30;
    /** Most pages of a fast registration. */
    public static final int MAX_FAST_REG_PAGES = 512;
    /** Most pages of an event ring that the device accepts, state page included. */
    public static final int MAX_EVENT_RING_PAGES = 512;
    /** Pages of any ring of a device that reads only one table of a page directory properly. */
    public static final int FEW_RING_PAGES = 128;

    /**
     * {@return the same with another path MTU}
     *
     * @param value enum 1..5
     */
    public Limits withMtu(int value) {
        return new Limits(maxQp, maxCq, maxMr, maxMw, maxPd, maxSrq, maxUar, maxQpWr, maxCqe, maxSrqWr, maxSge,
            maxMrSize, maxRdAtomic, gidEntries, value);
    }

    /**
     * {@return the bytes of the largest packet, which is the longest datagram}
     */
    public int mtuBytes() {
        return 128 << mtu;
    }
}
