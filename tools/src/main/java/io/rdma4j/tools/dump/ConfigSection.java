/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.dump;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.rdma4j.RdmaException;
import io.rdma4j.driver.pci.PciDevice;
import io.rdma4j.hw.pci.MsixCapability;
import io.rdma4j.hw.pci.PciConfig;
import io.rdma4j.hw.pvrdma.Bar1;
import org.agrona.concurrent.UnsafeBuffer;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The configuration space: header, capabilities and MSI-X table, in the words of lspci. */
public final class ConfigSection implements Section {
    private static final String HEADER = "header";
    private static final String REGIONS = "regions";
    private static final String CAPABILITIES = "capabilities";
    private static final String VECTORS = "msix_table";
    private static final String MSIX_TROUBLE = "msix_table_not_read";
    private static final int BAR_TYPE_MASK = 0x6;
    private static final int KILO = 1024;
    private static final List<String> UNITS = List.of("", "K", "M", "G", "T");

    private final Path root;

    /** Of this machine. */
    public ConfigSection() {
        this(Path.of("/"));
    }

    /**
     * Of a machine whose {@code sys} is somewhere else.
     *
     * @param root the folder that has it.
     */
    ConfigSection(final Path root) {
        this.root = root;
    }

    @Override
    public String name() {
        return "config";
    }

    @Override
    public String title() {
        return "PCI configuration space";
    }

    @Override
    public JsonObject read(final DumpSource source) {
        final ConfigBytes config = source.pci().map(pci -> ConfigBytes.of(pci.config()))
            .orElseGet(() -> ConfigBytes.ofElsewhere(root, source.view().address()));
        final JsonObject section = new JsonObject();
        if (config.bytes().length < PciConfig.LENGTH) {
            section.addProperty(DumpDocument.NOTE, config.trouble().isEmpty()
                ? "there are only " + config.bytes().length + " bytes in " + config.from() : config.trouble());
            return section;
        }
        section.addProperty(DumpDocument.NOTE, "read from " + config.from()
            + (config.trouble().isEmpty() ? "" : "; " + config.trouble()));
        final UnsafeBuffer bytes = new UnsafeBuffer(config.bytes());
        section.add(HEADER, header(bytes));
        section.add(REGIONS, regions(bytes, source));
        section.add(CAPABILITIES, Capabilities.of(bytes));
        source.pci().ifPresent(pci -> addVectors(section, bytes, pci));
        if (bytes.getInt(0) == -1) {
            section.addProperty(Fields.INVALID, "all ones: the function does not answer, it may be gone");
        }
        Raw.add(source, section, "configuration space", 0, config.bytes());
        return section;
    }

    private static JsonObject header(final UnsafeBuffer bytes) {
        final JsonObject raw = Fields.of(PciConfig.LAYOUT, bytes, 0);
        final JsonObject header = new JsonObject();
        final int vendor = u16(bytes, PciConfig.VENDOR_ID_OFFSET);
        final int device = u16(bytes, PciConfig.DEVICE_ID_OFFSET);
        header.addProperty("id", String.format("%04x:%04x", vendor, device));
        if (vendor != Bar1.PVRDMA_VENDOR_ID || device != Bar1.PVRDMA_DEVICE_ID) {
            header.add("id", Fields.invalid(header.get("id"), String.format("the pvrdma device is %04x:%04x",
                Bar1.PVRDMA_VENDOR_ID, Bar1.PVRDMA_DEVICE_ID)));
        }
        header.addProperty("subsystem", String.format("%04x:%04x", u16(bytes, PciConfig.SUBSYSTEM_VENDOR_ID_OFFSET),
            u16(bytes, PciConfig.SUBSYSTEM_ID_OFFSET)));
        header.addProperty("class", String.format("%04x", u16(bytes, PciConfig.CLASS_DEVICE_OFFSET)));
        header.add("revision", raw.get("revision_id"));
        header.add("prog_if", raw.get("prog_if"));
        final int command = u16(bytes, PciConfig.COMMAND_OFFSET);
        final int status = u16(bytes, PciConfig.STATUS_OFFSET);
        header.add("control", PciBits.register(command, PciBits.text(PciBits.COMMAND, command)));
        header.add("status", PciBits.register(status, PciBits.status(status)));
        for (final String name : List.of("header_type", "latency_timer", "cache_line_size", "bist", "cardbus_cis",
            "expansion_rom", "cap_ptr", "interrupt_line", "interrupt_pin", "min_gnt", "max_lat")) {
            header.add(name, raw.get(name));
        }
        return header;
    }

    private static JsonArray regions(final UnsafeBuffer bytes, final DumpSource source) {
        final JsonArray rows = new JsonArray();
        for (int bar = 0; bar < PciConfig.BAR_COUNT; bar++) {
            final int word = bytes.getInt(PciConfig.barOffset(bar), LITTLE_ENDIAN);
            if (word == 0) {
                continue;
            }
            final JsonObject row = new JsonObject();
            row.addProperty("region", bar);
            describe(row, bytes, bar, word);
            addSize(row, source, bar);
            rows.add(row);
            bar += PciConfig.isMemory64(word) ? 1 : 0;
        }
        return rows;
    }

    private static void describe(final JsonObject row, final UnsafeBuffer bytes, final int bar, final int word) {
        if ((word & PciConfig.BAR_IO) != 0) {
            row.addProperty("kind", "I/O ports");
            row.add("address", Fields.hex(word & ~3L & 0xffff_ffffL));
            return;
        }
        final boolean wide = PciConfig.isMemory64(word);
        final int next = bar + 1 < PciConfig.BAR_COUNT ? bytes.getInt(PciConfig.barOffset(bar + 1), LITTLE_ENDIAN) : 0;
        row.addProperty("kind", String.format("Memory (%s-bit, %sprefetchable)", wide ? "64" : "32",
            (word & PciConfig.BAR_PREFETCHABLE) == 0 ? "non-" : ""));
        row.add("address", Fields.hex(PciConfig.barAddress(word, next)));
        if ((word & BAR_TYPE_MASK) != 0 && !wide) {
            Fields.invalid(row, "no such type of memory");
        } else if (wide && bar + 1 == PciConfig.BAR_COUNT) {
            Fields.invalid(row, "the register for its upper half is missing");
        }
    }

    private static void addSize(final JsonObject row, final DumpSource source, final int bar) {
        try {
            source.pci().ifPresent(pci -> row.addProperty("size", pci.bar(bar).size()));
        } catch (final RdmaException e) {
            Fields.invalid(row, e.getMessage());
        }
    }

    private static void addVectors(final JsonObject section, final UnsafeBuffer bytes, final PciDevice pci) {
        for (final JsonObject capability : Nodes.objects(section, CAPABILITIES)) {
            if (Nodes.number(capability, "id", 0) != MsixCapability.CAP_ID || capability.has(Fields.INVALID)) {
                continue;
            }
            if ((u16(bytes, PciConfig.COMMAND_OFFSET) & PciConfig.MEMORY) == 0) {
                section.addProperty(MSIX_TROUBLE, "memory decoding is off");
                return;
            }
            try {
                section.add(VECTORS, MsixTable.read(pci, capability));
            } catch (final RuntimeException | InternalError e) {
                // The platform may keep the table to itself, as VFIO did before Linux 4.16.
                section.addProperty(MSIX_TROUBLE, String.valueOf(e.getMessage()));
            }
            return;
        }
    }

    private static int u16(final UnsafeBuffer bytes, final int at) {
        return bytes.getShort(at, LITTLE_ENDIAN) & 0xffff;
    }

    @Override
    public void print(final JsonObject section, final DumpPrinter out) {
        final JsonObject header = Nodes.object(section, HEADER);
        if (header.size() == 0) {
            return;
        }
        out.fields(header);
        part(out, "regions", sized(Nodes.objects(section, REGIONS)), "region", "kind", "address", "size");
        part(out, "capabilities", Nodes.objects(section, CAPABILITIES), "at", "id", "detail");
        for (final JsonObject capability : Nodes.objects(section, CAPABILITIES)) {
            if (capability.has("table_bar")) {
                out.indented().line(place("MSI-X vector table", capability, "table"))
                    .line(place("MSI-X PBA", capability, "pba"));
            }
        }
        final String trouble = Nodes.text(section, MSIX_TROUBLE);
        if (trouble.isEmpty()) {
            part(out, "MSI-X table", signed(Nodes.objects(section, VECTORS)), "vector", "address", "data", "masked",
                "pending");
        } else {
            out.blank().line("MSI-X table not read: " + trouble);
        }
    }

    private static void part(
        final DumpPrinter out, final String heading, final List<JsonObject> rows, final String... columns) {
        if (!rows.isEmpty()) {
            out.blank().line(heading);
            out.indented().table(rows, columns);
        }
    }

    private static String place(final String what, final JsonObject capability, final String prefix) {
        return String.format("%s: BAR=%s offset=%08x", what, Nodes.text(capability, prefix + "_bar"),
            Nodes.number(capability, prefix + "_offset", 0));
    }

    /** As lspci abbreviates sizes, which are powers of two. */
    private static List<JsonObject> sized(final List<JsonObject> regions) {
        final List<JsonObject> rows = new ArrayList<>();
        for (final JsonObject region : regions) {
            final JsonObject row = region.deepCopy();
            long size = Nodes.number(row, "size", 0);
            int unit = 0;
            while (size > 0 && size % KILO == 0 && unit < UNITS.size() - 1) {
                size /= KILO;
                unit++;
            }
            row.addProperty("size", size > 0 ? size + UNITS.get(unit) : "");
            rows.add(row);
        }
        return rows;
    }

    private static List<JsonObject> signed(final List<JsonObject> vectors) {
        final List<JsonObject> rows = new ArrayList<>();
        for (final JsonObject vector : vectors) {
            final JsonObject row = vector.deepCopy();
            for (final String name : List.of("masked", "pending")) {
                if (row.has(name)) {
                    row.addProperty(name, Nodes.text(row, name).equals("true") ? "+" : "-");
                }
            }
            rows.add(row);
        }
        return rows;
    }
}
