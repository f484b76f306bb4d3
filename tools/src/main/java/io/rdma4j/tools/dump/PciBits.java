/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.dump;

import com.google.gson.JsonObject;
import io.rdma4j.hw.layout.Names;

import java.util.List;

/** Bits of the configuration space under the names that lspci gives them. */
final class PciBits {
    /** Of the command register. */
    static final List<Bit> COMMAND = List.of(
        bit("I/O", 0), bit("Mem", 1), bit("BusMaster", 2), bit("SpecCycle", 3), bit("MemWINV", 4), bit("VGASnoop", 5),
        bit("ParErr", 6), bit("Stepping", 7), bit("SERR", 8), bit("FastB2B", 9), bit("DisINTx", 10));
    /** Of the status register, but for the two bits of {@link #deviceSelect}. */
    static final List<Bit> STATUS = List.of(
        bit("Cap", 4), bit("66MHz", 5), bit("UDF", 6), bit("FastB2B", 7), bit("ParErr", 8), bit(">TAbort", 11),
        bit("<TAbort", 12), bit("<MAbort", 13), bit(">SERR", 14), bit("<PERR", 15), bit("INTx", 3));

    private static final List<String> DEVICE_SELECT = List.of("fast", "medium", "slow", "??");
    private static final int DEVICE_SELECT_SHIFT = 9;
    private static final int DEVICE_SELECT_MASK = 3;
    /** Of the capabilities, PCI Code and ID Assignment Specification. */
    static final Names CAPABILITIES = Names.of(1, "Power Management", "AGP", "Vital Product Data", "Slot ID", "MSI",
        "CompactPCI hot-swap", "PCI-X", "HyperTransport", "Vendor Specific Information", "Debug port",
        "CompactPCI central resource control", "Hot-plug capable", "Subsystem", "AGP3", "Secure device", "Express",
        "MSI-X", "SATA HBA", "PCI Advanced Features", "Enhanced Allocation");

    private PciBits() {
    }

    /**
     * One bit.
     *
     * @param name as lspci prints it.
     * @param bit  its number.
     */
    record Bit(String name, int bit) {
    }

    private static Bit bit(final String name, final int bit) {
        return new Bit(name, bit);
    }

    /** The bits of a register as lspci prints them: a plus or a minus behind each name. */
    static String text(final List<Bit> bits, final int value) {
        final StringBuilder text = new StringBuilder();
        for (final Bit bit : bits) {
            text.append(text.isEmpty() ? "" : " ").append(bit.name()).append((value >> bit.bit() & 1) == 0 ? '-' : '+');
        }
        return text.toString();
    }

    /** As {@link #text}, for status, with what is between. */
    static String status(final int value) {
        return text(STATUS.subList(0, 5), value) + " DEVSEL=" + deviceSelect(value) + " "
            + text(STATUS.subList(5, STATUS.size()), value);
    }

    private static String deviceSelect(final int status) {
        return DEVICE_SELECT.get(status >> DEVICE_SELECT_SHIFT & DEVICE_SELECT_MASK);
    }

    /** A value with its bits. */
    static JsonObject register(final int value, final String name) {
        final JsonObject json = new JsonObject();
        json.addProperty(Fields.VALUE, String.format("0x%04x", value));
        json.addProperty(Fields.NAME, name);
        return json;
    }
}
