/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.dump;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.rdma4j.driver.live.LiveObject;
import io.rdma4j.hw.pvrdma.GidType;
import io.rdma4j.verbs.pvrdma.live.GidKind;

import java.nio.ByteBuffer;

/** The GIDs that are bound. The device's own table cannot be read: this is what the driver told it. */
public final class GidSection implements Section {
    private static final String GIDS = "gids";
    private static final String INDEX = "index";
    private static final String GID = "gid";
    private static final String TYPE = "type";
    private static final int GROUPS = 8;

    /** Stateless. */
    public GidSection() {
        // Nothing to set.
    }

    @Override
    public String name() {
        return GID;
    }

    @Override
    public String title() {
        return "GID table, as it was bound";
    }

    @Override
    public JsonObject read(final DumpSource source) {
        final JsonArray rows = new JsonArray();
        source.view().objects(GidKind.KIND).forEach(gid -> rows.add(row(gid)));
        final JsonObject section = new JsonObject();
        section.add(GIDS, rows);
        if (rows.isEmpty()) {
            section.addProperty(DumpDocument.NOTE, "no GID is bound, or none is published");
        }
        return section;
    }

    private static JsonObject row(final LiveObject gid) {
        final long high = gid.attribute(GidKind.GID_HIGH);
        final long low = gid.attribute(GidKind.GID_LOW);
        final int type = (int) gid.attribute(GidKind.TYPE);
        final JsonObject row = new JsonObject();
        row.addProperty(INDEX, gid.handle());
        row.addProperty(GID, text(high, low));
        row.add(TYPE, Fields.named(Integer.toUnsignedLong(type), GidType.NAMES));
        if (gid.handle() < 0) {
            Fields.invalid(row, "no index");
        }
        if ((high | low) == 0) {
            Fields.invalid(row, "the zero GID cannot be bound");
        }
        if (type != GidType.PVRDMA_GID_TYPE_FLAG_ROCE_V1 && type != GidType.PVRDMA_GID_TYPE_FLAG_ROCE_V2) {
            row.add(TYPE, Fields.invalid(row.get(TYPE), "no type of a GID"));
        }
        return row;
    }

    /** All eight groups, as sysfs prints GIDs. */
    private static String text(final long high, final long low) {
        final ByteBuffer bytes = ByteBuffer.allocate(2 * Long.BYTES).putLong(high).putLong(low).flip();
        final StringBuilder text = new StringBuilder();
        for (int group = 0; group < GROUPS; group++) {
            text.append(group == 0 ? "" : ":").append(String.format("%04x", bytes.getShort()));
        }
        return text.toString();
    }

    @Override
    public void print(final JsonObject section, final DumpPrinter out) {
        out.table(Nodes.objects(section, GIDS), INDEX, GID, TYPE);
    }
}
