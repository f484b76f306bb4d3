/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.dump;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.rdma4j.hw.pvrdma.Caps;
import io.rdma4j.hw.pvrdma.DeviceMode;
import io.rdma4j.hw.pvrdma.Dsr;
import io.rdma4j.hw.pvrdma.ExtensionFlags;
import org.agrona.concurrent.UnsafeBuffer;

import java.util.List;
import java.util.Locale;

/** What the device says about itself, as it stands in the shared region. */
public final class CapsSection implements Section {
    private static final String CAPS = "caps";
    private static final String EXTENSIONS = "device_cap_flags2";
    /** Only devices of this profile have extensions there. */
    private static final String EMULATED = "rdma4j emulated";
    private static final int MINOR_SHIFT = 16;
    private static final int MINOR_MASK = 0xffff;

    /** Stateless. */
    public CapsSection() {
        // Nothing to set.
    }

    @Override
    public String name() {
        return CAPS;
    }

    @Override
    public String title() {
        return "capabilities, as the device wrote them";
    }

    @Override
    public JsonObject read(final DumpSource source) {
        final JsonObject section = new JsonObject();
        SharedRegion.read(source, section).ifPresent(region -> {
            final byte[] bytes = DsrSection.caps(region.bytes());
            final JsonObject caps = caps(bytes);
            if (source.view().description().startsWith(EMULATED)) {
                final int flags = (int) Nodes.number(caps, EXTENSIONS, 0);
                caps.add(EXTENSIONS, named(caps.get(EXTENSIONS), ExtensionFlags.NAMES.of(flags)));
            }
            section.add(CAPS, caps);
            Raw.add(source, section, "capabilities", region.iova() + Dsr.CAPS.offset(), bytes);
        });
        return section;
    }

    private static JsonObject caps(final byte[] bytes) {
        final Caps caps = new Caps().wrap(new UnsafeBuffer(bytes), 0);
        final JsonObject json = Fields.of(Caps.LAYOUT, bytes);
        final long firmware = caps.get(Caps.FW_VER);
        json.add("fw_ver", named(json.get("fw_ver"), String.format(Locale.ROOT, "%d.%d.%d", firmware >>> Integer.SIZE,
            firmware >>> MINOR_SHIFT & MINOR_MASK, firmware & MINOR_MASK)));
        // Masks, which say nothing in decimal.
        for (final String mask : List.of("ex_comp_mask", "device_cap_flags", EXTENSIONS)) {
            json.add(mask, Fields.hex(Nodes.number(json, mask, 0)));
        }
        if (caps.get(Caps.GID_TYPES) == 0) {
            refuse(json, "gid_types", "the device did not fill in its capabilities");
        }
        if (caps.get(Caps.MODE) != DeviceMode.PVRDMA_DEVICE_MODE_ROCE) {
            refuse(json, "mode", "only ROCE is in use");
        }
        for (final String limit : List.of("max_qp", "max_cq", "max_mr", "max_pd", "max_qp_wr", "max_sge", "max_cqe",
            "gid_tbl_len", "phys_port_cnt")) {
            if (Nodes.number(json, limit, 0) == 0) {
                refuse(json, limit, "without one nothing works");
            }
        }
        for (final String name : List.copyOf(json.keySet())) {
            if (name.startsWith("max_") && json.get(name).isJsonPrimitive()
                && json.getAsJsonPrimitive(name).isNumber() && json.get(name).getAsLong() > Integer.MAX_VALUE) {
                refuse(json, name, "more than any device has");
            }
        }
        return json;
    }

    private static JsonElement named(final JsonElement value, final String name) {
        final JsonObject json = new JsonObject();
        json.add(Fields.VALUE, value);
        json.addProperty(Fields.NAME, name);
        return json;
    }

    private static void refuse(final JsonObject json, final String field, final String why) {
        json.add(field, Fields.invalid(json.get(field), why));
    }

    @Override
    public void print(final JsonObject section, final DumpPrinter out) {
        out.fields(Nodes.object(section, CAPS));
    }
}
