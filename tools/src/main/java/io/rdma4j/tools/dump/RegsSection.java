/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.dump;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.rdma4j.driver.live.LiveObject;
import io.rdma4j.driver.pci.Bar;
import io.rdma4j.driver.pci.PciDevice;
import io.rdma4j.hw.pci.PciConfig;
import io.rdma4j.hw.pvrdma.Bar1;
import io.rdma4j.verbs.pvrdma.live.DeviceKind;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;

/** The registers: read from BAR1 of one's own device, else what the process that owns it last wrote and read. */
public final class RegsSection implements Section {
    private static final String REGISTERS = "registers";
    private static final String DRIVER = "driver";
    private static final String REGISTER = "register";
    private static final String OFFSET = "offset";
    private static final String ACCESS = "access";
    private static final String VALUE = "value";
    private static final String MEANING = "meaning";
    private static final String NOT_READ = "not_read";
    private static final int ALL_ONES = -1;

    /** Stateless. */
    public RegsSection() {
        // Nothing to set.
    }

    @Override
    public String name() {
        return "regs";
    }

    @Override
    public String title() {
        return "device registers (BAR1)";
    }

    @Override
    public JsonObject read(final DumpSource source) {
        final JsonObject section = new JsonObject();
        final List<LiveObject> devices = source.view().objects(DeviceKind.KIND);
        if (source.pci().isPresent()) {
            readOwn(source, source.pci().get(), section);
        } else if (devices.isEmpty()) {
            section.addProperty(DumpDocument.NOTE, "the process publishes no registers");
        } else {
            section.addProperty(DumpDocument.NOTE, "what the process last wrote and read; the registers of its device "
                + "can only be read by itself");
            section.add(REGISTERS, shadow(devices.get(0)));
        }
        devices.stream().findFirst().ifPresent(device -> section.add(DRIVER, driver(device)));
        return section;
    }

    private static void readOwn(final DumpSource source, final PciDevice pci, final JsonObject section) {
        if ((pci.config().read(PciConfig.COMMAND_OFFSET, 2) & PciConfig.MEMORY) == 0) {
            section.addProperty(Fields.INVALID, "memory decoding is off in the command register: the function does "
                + "not answer");
            return;
        }
        final boolean icr = source.wants(DumpSource.Wish.ICR);
        section.addProperty(DumpDocument.NOTE, icr ? "read from the device" : "read from the device, but for ICR, "
            + "which reading may clear (--icr reads it)");
        final Bar bar = pci.bar(Bar1.REG_BAR);
        final JsonArray rows = new JsonArray();
        final ByteBuffer bytes = ByteBuffer.allocate(Bar1.LENGTH).order(ByteOrder.LITTLE_ENDIAN);
        for (final Register register : Register.values()) {
            final JsonObject row = row(register);
            if (register == Register.ICR && !icr) {
                row.addProperty(NOT_READ, "reading may clear it");
            } else {
                final int value = bar.readInt(register.offset());
                bytes.putInt(register.offset(), value);
                add(row, register, value);
            }
            rows.add(row);
        }
        section.add(REGISTERS, rows);
        if (bytes.getInt(Bar1.PVRDMA_REG_VERSION) == ALL_ONES && bytes.getInt(Bar1.PVRDMA_REG_MACH) == ALL_ONES) {
            section.addProperty(Fields.INVALID, "all ones: the function does not answer, it may be gone");
        }
        Raw.add(source, section, "registers from BAR1" + (icr ? "" : " (0 where ICR is)"), 0, bytes.array());
    }

    private static JsonObject row(final Register register) {
        final JsonObject row = new JsonObject();
        row.addProperty(OFFSET, String.format("0x%02x", register.offset()));
        row.addProperty(REGISTER, register.name());
        row.addProperty(ACCESS, register.access().toString());
        return row;
    }

    private static void add(final JsonObject row, final Register register, final int value) {
        row.add(VALUE, register.decode(value));
    }

    private static JsonArray shadow(final LiveObject device) {
        final JsonArray rows = new JsonArray();
        for (final Register register : Register.values()) {
            final JsonObject row = row(register);
            final int place = place(register);
            if (place < 0) {
                row.addProperty(NOT_READ, "not published");
            } else {
                final long value = device.attribute(place);
                add(row, register, (int) (register == Register.DSRHIGH ? value >>> Integer.SIZE : value));
            }
            rows.add(row);
        }
        return rows;
    }

    /** Where the entry of a device has what a register holds; -1 if it has not. */
    private static int place(final Register register) {
        return switch (register) {
            case VERSION -> DeviceKind.VERSION;
            case DSRLOW, DSRHIGH -> DeviceKind.DSR_IOVA;
            case CTL -> DeviceKind.CTL;
            case ERR -> DeviceKind.ERR;
            case IMR -> DeviceKind.IMR;
            default -> -1;
        };
    }

    private static JsonObject driver(final LiveObject device) {
        final JsonObject driver = new JsonObject();
        final long state = device.attribute(DeviceKind.STATE);
        driver.add("state", Fields.named(state, DeviceKind.STATES));
        driver.add("dsr_iova", iova(device, DeviceKind.DSR_IOVA));
        driver.add("cmd_slot_iova", iova(device, DeviceKind.CMD_SLOT_IOVA));
        driver.add("resp_slot_iova", iova(device, DeviceKind.RESP_SLOT_IOVA));
        driver.add("uar_pfn", Fields.hex(device.attribute(DeviceKind.UAR_PFN)));
        final long vectors = device.attribute(DeviceKind.VECTORS);
        driver.addProperty("vectors", vectors);
        if (vectors < 0 || vectors > Bar1.PVRDMA_MAX_INTERRUPTS) {
            driver.add("vectors", Fields.invalid(driver.get("vectors"), "a driver asks for 0 to "
                + Bar1.PVRDMA_MAX_INTERRUPTS));
        }
        return driver;
    }

    /** All of them are whole pages. */
    private static JsonElement iova(final LiveObject device, final int place) {
        final long iova = device.attribute(place);
        final JsonElement json = Fields.hex(iova);
        return iova != 0 && (iova & 0xfff) == 0 ? json : Fields.invalid(json, "no address of a page");
    }

    @Override
    public void print(final JsonObject section, final DumpPrinter out) {
        final List<JsonObject> rows = Nodes.objects(section, REGISTERS).stream().map(RegsSection::inWords).toList();
        out.table(rows, OFFSET, REGISTER, ACCESS, VALUE, MEANING);
        final JsonObject driver = Nodes.object(section, DRIVER);
        if (driver.size() > 0) {
            out.blank().line("the driver");
            out.indented().fields(driver);
        }
    }

    private static JsonObject inWords(final JsonObject row) {
        final JsonObject words = row.deepCopy();
        final JsonObject named = Nodes.object(row, VALUE);
        words.addProperty(MEANING, row.has(NOT_READ) ? "(not read: " + Nodes.text(row, NOT_READ) + ")"
            : Nodes.text(named, Fields.NAME));
        if (named.has(Fields.VALUE)) {
            words.add(VALUE, named.get(Fields.VALUE));
            if (named.has(Fields.INVALID)) {
                Fields.invalid(words, Nodes.text(named, Fields.INVALID));
            }
        }
        return words;
    }
}
