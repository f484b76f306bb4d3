/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.pvrdma;

import io.rdma4j.hw.layout.Flyweight;
import io.rdma4j.hw.layout.Layout;

/**
 * The device shared region, {@code struct pvrdma_device_shared_region}: one page of zeroes in which the driver says
 * where everything else is. Its address goes to DSRLOW, then DSRHIGH; with the latter the device reads it and writes
 * the {@link Caps}.
 *
 * <pre>
 *         0               4               8               12              16
 *        +---------------+---------------+---------------+---------------+
 *     0  | driver_version|       0       |   gos_info    |       0       |
 *        +---------------+---------------+---------------+---------------+
 *    16  |         cmd_slot_dma          |         resp_slot_dma         |
 *        +---------------+---------------+---------------+---------------+
 *    32  |  num_pages    |       0       |           pdir_dma            |  async_ring_pages
 *        +---------------+---------------+---------------+---------------+
 *    48  |  num_pages    |       0       |           pdir_dma            |  cq_ring_pages
 *        +---------------+---------------+---------------+---------------+
 *    64  | uar_pfn (before 19), uar_pfn64|     caps: 208 bytes, read-only for the driver ...
 *        +-------------------------------+----------------------------------------
 * </pre>
 */
public final class Dsr extends Flyweight<Dsr> {
    /** Offset of {@code driver_version}. */
    public static final int DRIVER_VERSION_OFFSET = 0;
    /** Offset of {@code gos_info}. */
    public static final int GOS_INFO_OFFSET = DRIVER_VERSION_OFFSET + 8;
    /** Offset of {@code cmd_slot_dma}. */
    public static final int CMD_SLOT_DMA_OFFSET = GOS_INFO_OFFSET + 8;
    /** Offset of {@code resp_slot_dma}. */
    public static final int RESP_SLOT_DMA_OFFSET = CMD_SLOT_DMA_OFFSET + 8;
    /** Offset of {@code async_ring_pages.num_pages}. */
    public static final int ASYNC_RING_NUM_PAGES_OFFSET = RESP_SLOT_DMA_OFFSET + 8;
    /** Offset of {@code async_ring_pages.pdir_dma}. */
    public static final int ASYNC_RING_PDIR_DMA_OFFSET = ASYNC_RING_NUM_PAGES_OFFSET + 8;
    /** Offset of {@code cq_ring_pages.num_pages}. */
    public static final int CQ_RING_NUM_PAGES_OFFSET = ASYNC_RING_PDIR_DMA_OFFSET + 8;
    /** Offset of {@code cq_ring_pages.pdir_dma}. */
    public static final int CQ_RING_PDIR_DMA_OFFSET = CQ_RING_NUM_PAGES_OFFSET + 8;
    /** Offset of {@code uar_pfn64}. */
    public static final int UAR_PFN64_OFFSET = CQ_RING_PDIR_DMA_OFFSET + 8;
    /** Offset of {@code caps}. */
    public static final int CAPS_OFFSET = UAR_PFN64_OFFSET + 8;
    /** Bytes of the struct. */
    public static final int LENGTH = CAPS_OFFSET + Caps.LENGTH;

    /** What the struct looks like. */
    public static final Layout LAYOUT = Layout.of("pvrdma_device_shared_region", LENGTH)
        .u32("driver_version", DRIVER_VERSION_OFFSET)
        .reserved(4)
        .u32("gos_info", GOS_INFO_OFFSET, GosInfo::name)
        .reserved(4)
        .u64("cmd_slot_dma", CMD_SLOT_DMA_OFFSET)
        .u64("resp_slot_dma", RESP_SLOT_DMA_OFFSET)
        .u32("async_ring_pages.num_pages", ASYNC_RING_NUM_PAGES_OFFSET)
        .reserved(4)
        .u64("async_ring_pages.pdir_dma", ASYNC_RING_PDIR_DMA_OFFSET)
        .u32("cq_ring_pages.num_pages", CQ_RING_NUM_PAGES_OFFSET)
        .reserved(4)
        .u64("cq_ring_pages.pdir_dma", CQ_RING_PDIR_DMA_OFFSET)
        .u64("uar_pfn64", UAR_PFN64_OFFSET)
        .nested("caps", CAPS_OFFSET, Caps.LAYOUT)
        .build();

    /** Creates a view that looks at nothing yet. */
    public Dsr() {
    }

    @Override
    public Layout layout() {
        return LAYOUT;
    }

    /** {@return the version of the driver's interface, {@link Bar1#DRIVER_VERSION}} */
    public int driverVersion() {
        return u32(DRIVER_VERSION_OFFSET);
    }

    /** {@return this, with {@code driver_version} set}
     * @param value the version of the driver's interface, {@link Bar1#DRIVER_VERSION} */
    public Dsr driverVersion(int value) {
        return u32(DRIVER_VERSION_OFFSET, value);
    }

    /** {@return who the driver is, a {@link GosInfo}} */
    public int gosInfo() {
        return u32(GOS_INFO_OFFSET);
    }

    /** {@return this, with {@code gos_info} set}
     * @param value who the driver is, a {@link GosInfo} */
    public Dsr gosInfo(int value) {
        return u32(GOS_INFO_OFFSET, value);
    }

    /** {@return the bus address of the command slot} */
    public long cmdSlotDma() {
        return u64(CMD_SLOT_DMA_OFFSET);
    }

    /** {@return this, with {@code cmd_slot_dma} set}
     * @param value the bus address of the command slot */
    public Dsr cmdSlotDma(long value) {
        return u64(CMD_SLOT_DMA_OFFSET, value);
    }

    /** {@return the bus address of the response slot} */
    public long respSlotDma() {
        return u64(RESP_SLOT_DMA_OFFSET);
    }

    /** {@return this, with {@code resp_slot_dma} set}
     * @param value the bus address of the response slot */
    public Dsr respSlotDma(long value) {
        return u64(RESP_SLOT_DMA_OFFSET, value);
    }

    /** {@return the pages of the asynchronous event ring, state page included} */
    public int asyncRingNumPages() {
        return u32(ASYNC_RING_NUM_PAGES_OFFSET);
    }

    /** {@return this, with {@code async_ring_pages.num_pages} set}
     * @param value the pages of the asynchronous event ring, state page included */
    public Dsr asyncRingNumPages(int value) {
        return u32(ASYNC_RING_NUM_PAGES_OFFSET, value);
    }

    /** {@return the bus address of its page directory} */
    public long asyncRingPdirDma() {
        return u64(ASYNC_RING_PDIR_DMA_OFFSET);
    }

    /** {@return this, with {@code async_ring_pages.pdir_dma} set}
     * @param value the bus address of its page directory */
    public Dsr asyncRingPdirDma(long value) {
        return u64(ASYNC_RING_PDIR_DMA_OFFSET, value);
    }

    /** {@return the pages of the CQ notification ring, state page included} */
    public int cqRingNumPages() {
        return u32(CQ_RING_NUM_PAGES_OFFSET);
    }

    /** {@return this, with {@code cq_ring_pages.num_pages} set}
     * @param value the pages of the CQ notification ring, state page included */
    public Dsr cqRingNumPages(int value) {
        return u32(CQ_RING_NUM_PAGES_OFFSET, value);
    }

    /** {@return the bus address of its page directory} */
    public long cqRingPdirDma() {
        return u64(CQ_RING_PDIR_DMA_OFFSET);
    }

    /** {@return this, with {@code cq_ring_pages.pdir_dma} set}
     * @param value the bus address of its page directory */
    public Dsr cqRingPdirDma(long value) {
        return u64(CQ_RING_PDIR_DMA_OFFSET, value);
    }

    /** {@return the page frame number of UAR page 0, from device version 19 on} */
    public long uarPfn64() {
        return u64(UAR_PFN64_OFFSET);
    }

    /** {@return this, with {@code uar_pfn64} set}
     * @param value the page frame number of UAR page 0, from device version 19 on */
    public Dsr uarPfn64(long value) {
        return u64(UAR_PFN64_OFFSET, value);
    }

    /** {@return the capabilities, written by the device: a view of its own} */
    public Caps caps() {
        return new Caps().wrap(buffer(), offset() + CAPS_OFFSET);
    }

    /** {@return the page frame number of UAR page 0, before device version 19} */
    public int uarPfn() {
        return u32(UAR_PFN64_OFFSET);
    }

    /** {@return this, with {@code uar_pfn} set and the four bytes behind it cleared}
     * @param value what to set */
    public Dsr uarPfn(int value) {
        return uarPfn64(Integer.toUnsignedLong(value));
    }
}
