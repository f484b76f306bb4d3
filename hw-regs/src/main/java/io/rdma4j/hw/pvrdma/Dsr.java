/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.pvrdma;

import io.rdma4j.hw.layout.Fields;
import io.rdma4j.hw.layout.Fields.IntField;
import io.rdma4j.hw.layout.Fields.LongField;
import io.rdma4j.hw.layout.Fields.StructField;
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
    private static final Fields<Dsr> F = Fields.of("pvrdma_device_shared_region");

    /** The version of the driver's interface, {@link Bar1#DRIVER_VERSION}. */
    public static final IntField<Dsr> DRIVER_VERSION = F.u32("driver_version");
    /** Who the driver is, a {@link GosInfo}. */
    public static final IntField<Dsr> GOS_INFO = F.reserved(4).u32("gos_info", GosInfo.NAMES);
    /** The bus address of the command slot. */
    public static final LongField<Dsr> CMD_SLOT_DMA = F.reserved(4).u64("cmd_slot_dma");
    /** The bus address of the response slot. */
    public static final LongField<Dsr> RESP_SLOT_DMA = F.u64("resp_slot_dma");
    /** The pages of the asynchronous event ring, state page included. */
    public static final IntField<Dsr> ASYNC_RING_PAGES_NUM_PAGES = F.u32("async_ring_pages.num_pages");
    /** The bus address of its page directory. */
    public static final LongField<Dsr> ASYNC_RING_PAGES_PDIR_DMA = F.reserved(4).u64("async_ring_pages.pdir_dma");
    /** The pages of the CQ notification ring, state page included. */
    public static final IntField<Dsr> CQ_RING_PAGES_NUM_PAGES = F.u32("cq_ring_pages.num_pages");
    /** The bus address of its page directory. */
    public static final LongField<Dsr> CQ_RING_PAGES_PDIR_DMA = F.reserved(4).u64("cq_ring_pages.pdir_dma");
    /** The page frame number of UAR page 0, from device version 19 on. */
    public static final LongField<Dsr> UAR_PFN64 = F.u64("uar_pfn64");
    /** The capabilities, written by the device. */
    public static final StructField<Dsr, Caps> CAPS = F.struct("caps", Caps.LAYOUT, Caps::new);
    /** What the struct looks like. */
    public static final Layout LAYOUT = F.build();

    /** Creates a view that looks at nothing yet. */
    public Dsr() {
        super(LAYOUT);
    }

    /** {@return the page frame number of UAR page 0, before device version 19} */
    public int uarPfn() {
        return (int) get(UAR_PFN64);
    }

    /** {@return this, with {@code uar_pfn} set and the four bytes behind it cleared}
     * @param value what to set */
    public Dsr uarPfn(int value) {
        return set(UAR_PFN64, Integer.toUnsignedLong(value));
    }
}
