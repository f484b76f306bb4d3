/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.dump;

import com.google.gson.JsonObject;

import java.util.List;
import java.util.Map;

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
    private static final Map<Integer, String> CAPABILITIES = Map.ofEntries(
        Map.entry(0x01, "Power Management"), Map.entry(0x02, "AGP"), Map.entry(0x03, "Vital Product Data"),
        Map.entry(0x04, "Slot ID"), Map.entry(0x05, "MSI"), Map.entry(0x06, "CompactPCI hot-swap"),
        Map.entry(0x07, "PCI-X"), Map.entry(0x08, "HyperTransport"), Map.entry(0x09, "Vendor Specific Information"),
        Map.entry(0x0a, "Debug port"), Map.entry(0x0b, "CompactPCI central resource control"),
        Map.entry(0x0c, "Hot-plug capable"), Map.entry(0x0d, "Subsystem"), Map.entry(0x0e, "AGP3"),
        Map.entry(0x0f, "Secure device"), Map.entry(0x10, "Express"), Map.entry(0x11, "MSI-X"),
        Map.entry(0x12, "SATA HBA"), Map.entry(0x13, "PCI Advanced Features"),
        Map.entry(0x14, "Enhanced Allocation"));

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

    static String capability(final int id) {
        return CAPABILITIES.getOrDefault(id, "unknown 0x" + Integer.toHexString(id));
    }
}
