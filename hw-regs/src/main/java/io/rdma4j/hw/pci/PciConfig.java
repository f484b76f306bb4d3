/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.pci;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

import io.rdma4j.hw.layout.Layout;
import org.agrona.DirectBuffer;

/**
 * The configuration header of a PCI function, type 0 (PCI Local Bus Specification 3.0, section 6.1).
 *
 * <pre>
 *        31            24 23            16 15             8 7              0
 *       +--------------------------------+--------------------------------+
 *  0x00 |           device id            |           vendor id            |
 *       +--------------------------------+--------------------------------+
 *  0x04 |             status             |            command             |
 *       +----------------+---------------+----------------+---------------+
 *  0x08 |   base class   |   sub class   |    prog if     |   revision    |
 *       +----------------+---------------+----------------+---------------+
 *  0x0c |      bist      |  header type  |  latency timer |  cache line   |
 *       +----------------+---------------+----------------+---------------+
 *  0x10 |                             bar 0 .. 5                          |
 *  0x28 |                        cardbus cis pointer                      |
 *  0x2c |          subsystem id          |      subsystem vendor id       |
 *  0x30 |                       expansion rom address                     |
 *  0x34 |                    reserved                     |    cap ptr    |
 *  0x3c |    max lat     |    min gnt    |    int pin     |   int line    |
 *       +----------------+---------------+----------------+---------------+
 * </pre>
 */
public final class PciConfig {
    /** Vendor. */
    public static final int VENDOR_ID_OFFSET = 0x00;
    /** Device. */
    public static final int DEVICE_ID_OFFSET = 0x02;
    /** Command: what the function may do. */
    public static final int COMMAND_OFFSET = 0x04;
    /** Status. */
    public static final int STATUS_OFFSET = 0x06;
    /** Revision. */
    public static final int REVISION_ID_OFFSET = 0x08;
    /** Class code, three bytes: programming interface, sub class, base class. */
    public static final int CLASS_CODE_OFFSET = 0x09;
    /** Sub class and base class as one 16-bit number. */
    public static final int CLASS_DEVICE_OFFSET = 0x0a;
    /** Cache line size. */
    public static final int CACHE_LINE_SIZE_OFFSET = 0x0c;
    /** Latency timer. */
    public static final int LATENCY_TIMER_OFFSET = 0x0d;
    /** Header type; bit 7 says that the device has several functions. */
    public static final int HEADER_TYPE_OFFSET = 0x0e;
    /** Built-in self test. */
    public static final int BIST_OFFSET = 0x0f;
    /** First base address register. */
    public static final int BAR0_OFFSET = 0x10;
    /** Second base address register. */
    public static final int BAR1_OFFSET = 0x14;
    /** Third base address register. */
    public static final int BAR2_OFFSET = 0x18;
    /** Fourth base address register. */
    public static final int BAR3_OFFSET = 0x1c;
    /** Fifth base address register. */
    public static final int BAR4_OFFSET = 0x20;
    /** Sixth base address register. */
    public static final int BAR5_OFFSET = 0x24;
    /** CardBus pointer. */
    public static final int CARDBUS_CIS_OFFSET = 0x28;
    /** Vendor of the subsystem. */
    public static final int SUBSYSTEM_VENDOR_ID_OFFSET = 0x2c;
    /** Subsystem. */
    public static final int SUBSYSTEM_ID_OFFSET = 0x2e;
    /** Address of the expansion ROM. */
    public static final int EXPANSION_ROM_OFFSET = 0x30;
    /** Where the list of capabilities begins. */
    public static final int CAP_PTR_OFFSET = 0x34;
    /** Interrupt line. */
    public static final int INTERRUPT_LINE_OFFSET = 0x3c;
    /** Interrupt pin. */
    public static final int INTERRUPT_PIN_OFFSET = 0x3d;
    /** Burst length wanted. */
    public static final int MIN_GNT_OFFSET = 0x3e;
    /** Latency tolerated. */
    public static final int MAX_LAT_OFFSET = 0x3f;

    /** Bytes of the header. */
    public static final int LENGTH = 0x40;
    /** Bytes of the configuration space of conventional PCI. */
    public static final int SPACE_LENGTH = 0x100;
    /** Bytes of the configuration space of PCI Express. */
    public static final int EXTENDED_SPACE_LENGTH = 0x1000;
    /** Number of base address registers. */
    public static final int BAR_COUNT = 6;

    /** In command: answer to port accesses. */
    public static final int IO = 1;
    /** In command: answer to memory accesses. */
    public static final int MEMORY = 1 << 1;
    /** In command: do DMA, and send message interrupts. */
    public static final int BUS_MASTER = 1 << 2;
    /** In command: do not raise the interrupt pin. */
    public static final int INTX_DISABLE = 1 << 10;

    /** In status: the interrupt pin is raised. */
    public static final int STATUS_INTERRUPT = 1 << 3;
    /** In status: there is a list of capabilities. */
    public static final int STATUS_CAP_LIST = 1 << 4;

    /** In a base address register: port space, not memory. */
    public static final int BAR_IO = 1;
    /** In a memory base address register: 64 bits, the next register holds the upper half. */
    public static final int BAR_MEMORY_64 = 1 << 2;
    /** In a memory base address register: prefetchable. */
    public static final int BAR_PREFETCHABLE = 1 << 3;

    /** Class of a network controller that is not Ethernet and so on: what pvrdma calls itself. */
    public static final int CLASS_NETWORK_OTHER = 0x0280;

    /** Offset, in a capability, of the byte that says which it is. */
    public static final int CAP_ID_OFFSET = 0;
    /** Offset, in a capability, of the byte that says where the next one is. */
    public static final int CAP_NEXT_OFFSET = 1;

    /** The header. */
    public static final Layout LAYOUT = Layout.of("pci_config_header", LENGTH)
        .u16("vendor_id", VENDOR_ID_OFFSET)
        .u16("device_id", DEVICE_ID_OFFSET)
        .u16("command", COMMAND_OFFSET)
        .u16("status", STATUS_OFFSET)
        .u8("revision_id", REVISION_ID_OFFSET)
        .u8("prog_if", CLASS_CODE_OFFSET)
        .u16("class_device", CLASS_DEVICE_OFFSET)
        .u8("cache_line_size", CACHE_LINE_SIZE_OFFSET)
        .u8("latency_timer", LATENCY_TIMER_OFFSET)
        .u8("header_type", HEADER_TYPE_OFFSET)
        .u8("bist", BIST_OFFSET)
        .u32("bar0", BAR0_OFFSET)
        .u32("bar1", BAR1_OFFSET)
        .u32("bar2", BAR2_OFFSET)
        .u32("bar3", BAR3_OFFSET)
        .u32("bar4", BAR4_OFFSET)
        .u32("bar5", BAR5_OFFSET)
        .u32("cardbus_cis", CARDBUS_CIS_OFFSET)
        .u16("subsystem_vendor_id", SUBSYSTEM_VENDOR_ID_OFFSET)
        .u16("subsystem_id", SUBSYSTEM_ID_OFFSET)
        .u32("expansion_rom", EXPANSION_ROM_OFFSET)
        .u8("cap_ptr", CAP_PTR_OFFSET)
        .reserved(7)
        .u8("interrupt_line", INTERRUPT_LINE_OFFSET)
        .u8("interrupt_pin", INTERRUPT_PIN_OFFSET)
        .u8("min_gnt", MIN_GNT_OFFSET)
        .u8("max_lat", MAX_LAT_OFFSET)
        .build();

    private static final int CAP_POINTER_MASK = 0xfc;
    private static final int BAR_MEMORY_FLAGS = 0xf;

    private PciConfig() {
    }

    /**
     * {@return the offset of a base address register}
     *
     * @param bar 0 to 5
     * @throws IllegalArgumentException if there is no such register
     */
    public static int barOffset(int bar) {
        if (bar < 0 || bar >= BAR_COUNT) {
            throw new IllegalArgumentException("bar " + bar + ": allowed are 0.." + (BAR_COUNT - 1));
        }
        return BAR0_OFFSET + bar * 4;
    }

    /**
     * {@return whether a register is the lower half of a 64-bit memory address}
     *
     * @param bar as read
     */
    public static boolean isMemory64(int bar) {
        return (bar & (BAR_IO | BAR_MEMORY_64)) == BAR_MEMORY_64;
    }

    /**
     * {@return the address in a memory base address register}
     *
     * @param bar  as read
     * @param next the register after it, which counts only if this is a 64-bit one
     */
    public static long barAddress(int bar, int next) {
        final long low = Integer.toUnsignedLong(bar & ~BAR_MEMORY_FLAGS);
        return isMemory64(bar) ? low | (long) next << 32 : low;
    }

    /**
     * Walks the list of capabilities. A list that runs in a circle, or out of the buffer, ends the walk.
     *
     * @param config a copy of the configuration space, from its beginning
     * @param capId  which capability
     * @return its offset, or -1 if the function does not have it
     */
    public static int findCapability(DirectBuffer config, int capId) {
        final int space = Math.min(config.capacity(), SPACE_LENGTH);
        if (space < LENGTH || (config.getShort(STATUS_OFFSET, LITTLE_ENDIAN) & STATUS_CAP_LIST) == 0) {
            return -1;
        }
        int at = config.getByte(CAP_PTR_OFFSET) & CAP_POINTER_MASK;
        for (int left = (space - LENGTH) / 4; left > 0 && at >= LENGTH && at + 4 <= space; left--) {
            if ((config.getByte(at + CAP_ID_OFFSET) & 0xff) == capId) {
                return at;
            }
            at = config.getByte(at + CAP_NEXT_OFFSET) & CAP_POINTER_MASK;
        }
        return -1;
    }
}
