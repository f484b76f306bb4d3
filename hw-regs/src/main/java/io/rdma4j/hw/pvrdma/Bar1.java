/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.pvrdma;

import io.rdma4j.hw.layout.Layout;
import io.rdma4j.hw.layout.Names;

/**
 * The registers of the device, in BAR 1: 32 bits each, little endian, and accessed by four bytes at a time only
 * ({@code PVRDMA_REG_*}).
 *
 * <pre>
 *   0x00 VERSION  R   version of the device
 *   0x04 DSRLOW   W   bus address of the shared region, low half; first
 *   0x08 DSRHIGH  W   high half; last, as this write makes the device load the region
 *   0x0c CTL      W   activate, unquiesce, reset
 *   0x10 REQUEST  W   0: execute what is in the command slot
 *   0x14 ERR      R   0 if the last request or control went well
 *   0x18 ICR      R   interrupt cause, for use without MSI-X
 *   0x1c IMR      RW  interrupt mask: 0 lets all through
 *   0x20 MACL     RW  MAC address, low; not used
 *   0x24 MACH     RW  MAC address, high; not used
 * </pre>
 */
public final class Bar1 {
    /** PCI vendor: VMware. */
    public static final int PVRDMA_VENDOR_ID = 0x15ad;
    /** PCI device. */
    public static final int PVRDMA_DEVICE_ID = 0x0820;

    /** The BAR with the MSI-X table. */
    public static final int MSIX_BAR = 0;
    /** The BAR with these registers. */
    public static final int REG_BAR = 1;
    /** The BAR with the doorbell pages, {@link Uar}. */
    public static final int UAR_BAR = 2;
    /** Bytes of the register BAR. */
    public static final int SIZE = 256;

    /** Version of the device. */
    public static final int PVRDMA_REG_VERSION = 0x00;
    /** Low half of the shared region's bus address. */
    public static final int PVRDMA_REG_DSRLOW = 0x04;
    /** High half of the shared region's bus address; writing it makes the device load the region. */
    public static final int PVRDMA_REG_DSRHIGH = 0x08;
    /** Control: one of {@code PVRDMA_DEVICE_CTL_*}. */
    public static final int PVRDMA_REG_CTL = 0x0c;
    /** Writing 0 executes the command in the command slot. */
    public static final int PVRDMA_REG_REQUEST = 0x10;
    /** Result of the last request or control. */
    public static final int PVRDMA_REG_ERR = 0x14;
    /** Interrupt cause: bits of {@code PVRDMA_INTR_CAUSE_*}. */
    public static final int PVRDMA_REG_ICR = 0x18;
    /** Interrupt mask. */
    public static final int PVRDMA_REG_IMR = 0x1c;
    /** MAC address, low part. */
    public static final int PVRDMA_REG_MACL = 0x20;
    /** MAC address, high part. */
    public static final int PVRDMA_REG_MACH = 0x24;

    /** To CTL: begin work. */
    public static final int PVRDMA_DEVICE_CTL_ACTIVATE = 0;
    /** To CTL: the link is up again. */
    public static final int PVRDMA_DEVICE_CTL_UNQUIESCE = 1;
    /** To CTL: forget everything. */
    public static final int PVRDMA_DEVICE_CTL_RESET = 2;

    /** MSI-X vector of command responses. */
    public static final int PVRDMA_INTR_VECTOR_RESPONSE = 0;
    /** MSI-X vector of asynchronous events. */
    public static final int PVRDMA_INTR_VECTOR_ASYNC = 1;
    /** First MSI-X vector of completion notifications. */
    public static final int PVRDMA_INTR_VECTOR_CQ = 2;
    /** MSI-X vectors that a driver asks for. */
    public static final int PVRDMA_MAX_INTERRUPTS = 3;

    /** In ICR: a response. */
    public static final int PVRDMA_INTR_CAUSE_RESPONSE = 1 << PVRDMA_INTR_VECTOR_RESPONSE;
    /** In ICR: an asynchronous event. */
    public static final int PVRDMA_INTR_CAUSE_ASYNC = 1 << PVRDMA_INTR_VECTOR_ASYNC;
    /** In ICR: a completion notification. */
    public static final int PVRDMA_INTR_CAUSE_CQ = 1 << PVRDMA_INTR_VECTOR_CQ;

    /** To IMR: all interrupts come. */
    public static final int IMR_NONE_MASKED = 0;
    /** To IMR: no interrupt comes. */
    public static final int IMR_ALL_MASKED = -1;

    /** First version: RoCE v1. */
    public static final int PVRDMA_ROCEV1_VERSION = 17;
    /** RoCE v2 is possible, and two more capabilities are valid. */
    public static final int PVRDMA_ROCEV2_VERSION = 18;
    /** Page frame numbers of UAR pages have 64 bits. */
    public static final int PVRDMA_PPN64_VERSION = 19;
    /** A QP's handle is not its number. */
    public static final int PVRDMA_QPHANDLE_VERSION = 20;
    /** What this driver says in the shared region, whatever the device's version. */
    public static final int DRIVER_VERSION = PVRDMA_QPHANDLE_VERSION;

    /** Bytes from VERSION to the end of MACH. */
    public static final int LENGTH = PVRDMA_REG_MACH + 4;

    /** The names of the values of the CTL register, without their C prefix. */
    public static final Names CTL_NAMES = ctl -> switch (ctl) {
        case PVRDMA_DEVICE_CTL_ACTIVATE -> "ACTIVATE";
        case PVRDMA_DEVICE_CTL_UNQUIESCE -> "UNQUIESCE";
        case PVRDMA_DEVICE_CTL_RESET -> "RESET";
        default -> null;
    };

    /** The names of the interrupt causes, without their C prefix. */
    public static final Names CAUSE_NAMES = Names.ofBits("RESPONSE", "ASYNC", "CQ");

    /** The registers as a struct. */
    public static final Layout LAYOUT = Layout.of("pvrdma registers", LENGTH)
        .u32("VERSION", PVRDMA_REG_VERSION)
        .u32("DSRLOW", PVRDMA_REG_DSRLOW)
        .u32("DSRHIGH", PVRDMA_REG_DSRHIGH)
        .u32("CTL", PVRDMA_REG_CTL, CTL_NAMES)
        .u32("REQUEST", PVRDMA_REG_REQUEST)
        .u32("ERR", PVRDMA_REG_ERR)
        .u32("ICR", PVRDMA_REG_ICR, CAUSE_NAMES)
        .u32("IMR", PVRDMA_REG_IMR)
        .u32("MACL", PVRDMA_REG_MACL)
        .u32("MACH", PVRDMA_REG_MACH)
        .build();

    private Bar1() {
    }

    /**
     * Names a register.
     *
     * @param offset in the BAR
     * @return the name without its C prefix, or "unknown" and the offset
     */
    public static String name(int offset) {
        for (Layout.Field register : LAYOUT.fields()) {
            if (register.offset() == offset) {
                return register.name();
            }
        }
        return "unknown 0x" + Integer.toHexString(offset);
    }
}
