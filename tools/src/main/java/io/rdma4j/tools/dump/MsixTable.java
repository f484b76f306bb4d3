/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.dump;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.rdma4j.driver.pci.Bar;
import io.rdma4j.driver.pci.PciDevice;
import io.rdma4j.hw.pci.MsixTableEntry;

import java.nio.ByteOrder;
import org.agrona.concurrent.UnsafeBuffer;

/** The vectors of MSI-X, in the BARs that the capability names. */
final class MsixTable {
    private static final int VECTORS_OF_A_WORD = 32;

    private MsixTable() {
    }

    /**
     * Reads the table.
     *
     * @param pci        the function, which decodes memory.
     * @param capability as {@link Capabilities} decoded it.
     * @return a row for each vector; fewer if the BAR ends before, and the last row says so.
     * @throws io.rdma4j.RdmaException if there is no such BAR.
     */
    static JsonArray read(final PciDevice pci, final JsonObject capability) {
        final Bar table = pci.bar((int) Nodes.number(capability, "table_bar", 0));
        final Bar pba = pci.bar((int) Nodes.number(capability, "pba_bar", 0));
        final long tableAt = Nodes.number(capability, "table_offset", 0);
        final long pbaAt = Nodes.number(capability, "pba_offset", 0);
        final JsonArray rows = new JsonArray();
        for (int vector = 0; vector < Nodes.number(capability, "vectors", 0); vector++) {
            final JsonObject row = new JsonObject();
            row.addProperty("vector", vector);
            rows.add(row);
            final long entryAt = tableAt + MsixTableEntry.entryOffset(vector);
            final long pendingAt = pbaAt + (long) vector / VECTORS_OF_A_WORD * Integer.BYTES;
            if (entryAt + MsixTableEntry.LENGTH > table.size() || pendingAt + Integer.BYTES > pba.size()) {
                Fields.invalid(row, "the BAR ends before it");
                return rows;
            }
            decode(row, copy(table, (int) entryAt));
            row.addProperty("pending", (pba.readInt((int) pendingAt) >>> vector % VECTORS_OF_A_WORD & 1) != 0);
        }
        return rows;
    }

    private static UnsafeBuffer copy(final Bar bar, final int at) {
        final UnsafeBuffer entry = new UnsafeBuffer(new byte[MsixTableEntry.LENGTH]);
        for (int i = 0; i < MsixTableEntry.LENGTH; i += Integer.BYTES) {
            entry.putInt(i, bar.readInt(at + i), ByteOrder.LITTLE_ENDIAN);
        }
        return entry;
    }

    private static void decode(final JsonObject row, final UnsafeBuffer entry) {
        final long address = MsixTableEntry.address(entry, 0);
        final boolean masked = MsixTableEntry.isMasked(entry, 0);
        row.add("address", Fields.hex(address));
        row.add("data", Fields.hex(Integer.toUnsignedLong(MsixTableEntry.data(entry, 0))));
        row.addProperty("masked", masked);
        if (address == -1) {
            Fields.invalid(row, "all ones: the function does not answer");
        } else if ((address & 3) != 0) {
            Fields.invalid(row, "the address is no multiple of 4");
        } else if (address == 0 && !masked) {
            Fields.invalid(row, "not masked, and has no address");
        }
    }
}
