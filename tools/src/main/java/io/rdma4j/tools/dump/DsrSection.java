/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.dump;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.rdma4j.driver.live.LiveObject;
import io.rdma4j.hw.pvrdma.Dsr;
import io.rdma4j.verbs.pvrdma.live.DeviceKind;
import io.rdma4j.verbs.pvrdma.live.EventRingKind;

import java.util.Arrays;

/** The shared region, by which driver and device know each other, and the two event rings that it names. */
public final class DsrSection implements Section {
    private static final String REGION = "region";
    private static final String RINGS = "rings";
    private static final String CAPS = "caps.";

    /** Stateless. */
    public DsrSection() {
        // Nothing to set.
    }

    @Override
    public String name() {
        return "dsr";
    }

    @Override
    public String title() {
        return "shared region and event rings";
    }

    @Override
    public JsonObject read(final DumpSource source) {
        final JsonObject section = new JsonObject();
        SharedRegion.read(source, section).ifPresent(region -> {
            section.add(REGION, region(region));
            Raw.add(source, section, "shared region", region.iova(), region.bytes());
        });
        final JsonArray rings = new JsonArray();
        for (final LiveObject ring : source.view().objects(EventRingKind.KIND)) {
            rings.add(EventRingDump.read(source, ring, section));
        }
        if (!rings.isEmpty()) {
            section.add(RINGS, rings);
        }
        return section;
    }

    private static JsonObject region(final SharedRegion region) {
        final JsonObject json = new JsonObject();
        json.add("iova", Fields.hex(region.iova()));
        Fields.of(Dsr.LAYOUT, region.bytes()).entrySet()
            .forEach(field -> json.add(field.getKey(), field.getValue()));
        for (final String name : json.keySet().stream().filter(name -> name.startsWith(CAPS)).toList()) {
            json.remove(name);
        }
        same(json, "cmd_slot_dma", region.device(), DeviceKind.CMD_SLOT_IOVA);
        same(json, "resp_slot_dma", region.device(), DeviceKind.RESP_SLOT_IOVA);
        same(json, "uar_pfn64", region.device(), DeviceKind.UAR_PFN);
        return json;
    }

    /** The device has no business to change what the driver wrote, but can. */
    private static void same(final JsonObject json, final String field, final LiveObject device, final int place) {
        final long wanted = device.attribute(place);
        final JsonElement value = json.get(field);
        if (Nodes.number(json, field, 0) != wanted) {
            json.add(field, Fields.invalid(value, String.format("the driver wrote 0x%x", wanted)));
        }
    }

    @Override
    public void print(final JsonObject section, final DumpPrinter out) {
        out.fields(Nodes.object(section, REGION));
        Nodes.objects(section, RINGS).forEach(ring -> EventRingDump.print(ring, out));
    }

    /** The part of the region's bytes that are the capabilities. */
    static byte[] caps(final byte[] region) {
        return Arrays.copyOfRange(region, Dsr.CAPS.offset(), Dsr.LAYOUT.length());
    }
}
