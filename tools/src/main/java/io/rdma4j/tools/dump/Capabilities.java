/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.dump;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.rdma4j.hw.pci.MsixCapability;
import io.rdma4j.hw.pci.PciConfig;
import org.agrona.concurrent.UnsafeBuffer;

/** Walks the list of capabilities. It may be anything: a list that is no list ends where that shows. */
final class Capabilities {
    private static final int POWER_MANAGEMENT = 0x01;
    private static final int MSI = 0x05;
    private static final int VENDOR = 0x09;
    private static final int EXPRESS = 0x10;
    private static final int POINTER_MASK = 0xfc;
    private static final int BYTE = 0xff;
    private static final int SHORT = 0xffff;
    private static final String[] PORT_TYPES = {"Endpoint", "Legacy Endpoint"};

    private final UnsafeBuffer config;
    private final JsonArray rows = new JsonArray();
    private final boolean[] seen = new boolean[PciConfig.SPACE_LENGTH];

    private Capabilities(final UnsafeBuffer config) {
        this.config = config;
    }

    /** All of them, in the order of the list. */
    static JsonArray of(final UnsafeBuffer config) {
        final Capabilities walk = new Capabilities(config);
        if ((walk.u16(PciConfig.STATUS_OFFSET) & PciConfig.STATUS_CAP_LIST) != 0) {
            walk.from(walk.u8(PciConfig.CAP_PTR_OFFSET) & POINTER_MASK);
        }
        return walk.rows;
    }

    private void from(final int first) {
        int at = first;
        while (at != 0) {
            final JsonObject row = new JsonObject();
            row.addProperty("at", String.format("0x%02x", at));
            rows.add(row);
            if (at < PciConfig.LENGTH || at + Integer.BYTES > config.capacity()) {
                Fields.invalid(row, "the list leads out of the configuration space");
                return;
            }
            if (seen[at]) {
                Fields.invalid(row, "the list runs in a circle");
                return;
            }
            seen[at] = true;
            decode(row, at);
            at = u8(at + PciConfig.CAP_NEXT_OFFSET) & POINTER_MASK;
        }
    }

    private void decode(final JsonObject row, final int at) {
        final int id = u8(at + PciConfig.CAP_ID_OFFSET);
        row.add("id", Fields.named(id, PciBits.CAPABILITIES));
        final int word = u16(at + 2);
        switch (id) {
            case POWER_MANAGEMENT -> row.addProperty("detail", "version " + (word & 7));
            case MSI -> row.addProperty("detail", String.format("Enable%s Count=%d/%d Maskable%s 64bit%s",
                sign(word & 1), 1 << (word >> 4 & 7), 1 << (word >> 1 & 7), sign(word & 0x100), sign(word & 0x80)));
            case VENDOR -> row.addProperty("detail", "Len=" + String.format("%02x", word & BYTE));
            case EXPRESS -> row.addProperty("detail", String.format("(v%d) %s", word & 0xf, portType(word >> 4 & 0xf)));
            case MsixCapability.CAP_ID -> msix(row, at, word);
            default -> row.addProperty("detail", "");
        }
    }

    private static String portType(final int type) {
        return type < PORT_TYPES.length ? PORT_TYPES[type] : "port type " + type;
    }

    private void msix(final JsonObject row, final int at, final int control) {
        row.addProperty("detail", String.format("Enable%s Count=%d Masked%s", sign(control & MsixCapability.ENABLE),
            MsixCapability.tableSize(control), sign(control & MsixCapability.FUNCTION_MASK)));
        if (at + MsixCapability.LENGTH > config.capacity()) {
            Fields.invalid(row, "it reaches out of the configuration space");
            return;
        }
        final int table = config.getInt(at + MsixCapability.TABLE_OFFSET, LITTLE_ENDIAN);
        final int pba = config.getInt(at + MsixCapability.PBA_OFFSET, LITTLE_ENDIAN);
        row.addProperty("vectors", MsixCapability.tableSize(control));
        row.addProperty("table_bar", MsixCapability.bir(table));
        row.addProperty("table_offset", MsixCapability.offset(table));
        row.addProperty("pba_bar", MsixCapability.bir(pba));
        row.addProperty("pba_offset", MsixCapability.offset(pba));
        if (MsixCapability.bir(table) >= PciConfig.BAR_COUNT || MsixCapability.bir(pba) >= PciConfig.BAR_COUNT) {
            Fields.invalid(row, "there is no such BAR");
        }
    }

    private static char sign(final int bits) {
        return bits == 0 ? '-' : '+';
    }

    private int u8(final int at) {
        return config.getByte(at) & BYTE;
    }

    private int u16(final int at) {
        return config.getShort(at, LITTLE_ENDIAN) & SHORT;
    }
}
