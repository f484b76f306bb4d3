/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.rdma4j.tools.text.KeyValues;
import io.rdma4j.verbs.Gid;
import io.rdma4j.verbs.GidType;
import io.rdma4j.verbs.Mtu;
import io.rdma4j.verbs.PortAttributes;
import io.rdma4j.verbs.RdmaContext;

import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** What devinfo prints of a port, asked once. */
final class PortReport {
    private static final String UNKNOWN = "unknown";
    private static final Map<Integer, String> WIDTHS = Map.of(1, "1X", 2, "4X", 4, "8X", 8, "12X", 16, "2X");
    private static final Map<Integer, String> SPEEDS = Map.of(1, "2.5 Gbps", 2, "5.0 Gbps", 4, "10.0 Gbps",
        8, "10.0 Gbps", 16, "14.0 Gbps", 32, "25.0 Gbps", 64, "50.0 Gbps", 128, "100.0 Gbps");
    private static final Map<Integer, String> LANES = Map.of(1, "1", 2, "2", 3, "4", 4, "8", 5, "15");
    private static final Map<Integer, String> PHYSICAL_STATES = Map.of(1, "SLEEP", 2, "POLLING", 3, "DISABLED",
        4, "PORT_CONFIGURATION_TRAINING", 5, "LINK_UP", 6, "LINK_ERROR_RECOVERY", 7, "PHY_TEST");

    private final PortAttributes port;
    private final Map<Integer, Entry> gids = new TreeMap<>();
    private final Map<Integer, Integer> pkeys = new TreeMap<>();

    /** A GID that is bound. */
    private record Entry(Gid gid, GidType type) {
        @Override
        public String toString() {
            return gid + ", " + type.title();
        }

        JsonObject toJson(final int index) {
            final JsonObject json = new JsonObject();
            json.addProperty("index", index);
            json.addProperty("gid", gid.toString());
            json.addProperty("type", type.title());
            return json;
        }
    }

    PortReport(final RdmaContext context, final int number) {
        port = context.queryPort(number);
        for (int i = 0; i < port.gidTableLength(); i++) {
            final Gid gid = context.queryGid(number, i);
            if (!gid.isZero()) {
                gids.put(i, new Entry(gid, context.queryGidType(number, i)));
            }
        }
        for (int i = 0; i < port.pkeyTableLength(); i++) {
            pkeys.put(i, context.queryPkey(number, i));
        }
    }

    void print(final KeyValues lines, final boolean verbose) {
        lines.heading(2, "port", port.port());
        lines.line(3, "state", "PORT_" + port.state() + " (" + port.state().ordinal() + ")");
        lines.line(3, "max_mtu", mtu(port.maxMtu()));
        lines.line(3, "active_mtu", mtu(port.activeMtu()));
        lines.line(3, "sm_lid", port.smLid());
        lines.line(3, "port_lid", port.lid());
        lines.line(3, "port_lmc", String.format("0x%02x", port.lmc()));
        lines.line(3, "link_layer", port.linkLayer());
        if (verbose) {
            printMore(lines);
        }
        lines.blank();
    }

    private void printMore(final KeyValues lines) {
        lines.line(3, "max_msg_sz", "0x" + Long.toHexString(port.maxMessageSize()));
        lines.line(3, "port_cap_flags", String.format("0x%08x", port.capabilityFlags()));
        lines.line(3, "port_cap_flags2", String.format("0x%04x", port.capabilityFlags2()));
        lines.line(3, "max_vl_num", coded(LANES, port.maxVlNum()));
        lines.line(3, "bad_pkey_cntr", "0x" + Integer.toHexString(port.badPkeyCounter()));
        lines.line(3, "qkey_viol_cntr", "0x" + Integer.toHexString(port.qkeyViolationCounter()));
        lines.line(3, "sm_sl", port.smSl());
        lines.line(3, "pkey_tbl_len", port.pkeyTableLength());
        lines.line(3, "gid_tbl_len", port.gidTableLength());
        lines.line(3, "subnet_timeout", port.subnetTimeout());
        lines.line(3, "init_type_reply", port.initTypeReply());
        lines.line(3, "active_width", coded(WIDTHS, port.activeWidth()));
        lines.line(3, "active_speed", coded(SPEEDS, port.activeSpeed()));
        lines.line(3, "phys_state", coded(PHYSICAL_STATES, port.physicalState()));
        pkeys.forEach((index, pkey) -> lines.line(3, String.format(Locale.ROOT, "PKEY[%3d]", index),
            String.format("0x%04x", pkey)));
        gids.forEach((index, gid) -> lines.line(3, String.format(Locale.ROOT, "GID[%3d]", index), gid));
    }

    JsonObject toJson() {
        final JsonObject json = new JsonObject();
        json.addProperty("port", port.port());
        json.addProperty("state", "PORT_" + port.state());
        json.addProperty("max_mtu", port.maxMtu().bytes());
        json.addProperty("active_mtu", port.activeMtu().bytes());
        json.addProperty("sm_lid", port.smLid());
        json.addProperty("port_lid", port.lid());
        json.addProperty("port_lmc", port.lmc());
        json.addProperty("link_layer", port.linkLayer());
        json.addProperty("max_msg_sz", port.maxMessageSize());
        json.addProperty("port_cap_flags", port.capabilityFlags());
        json.addProperty("port_cap_flags2", port.capabilityFlags2());
        json.addProperty("max_vl_num", port.maxVlNum());
        json.addProperty("bad_pkey_cntr", port.badPkeyCounter());
        json.addProperty("qkey_viol_cntr", port.qkeyViolationCounter());
        json.addProperty("sm_sl", port.smSl());
        json.addProperty("subnet_timeout", port.subnetTimeout());
        json.addProperty("init_type_reply", port.initTypeReply());
        json.addProperty("active_width", WIDTHS.getOrDefault(port.activeWidth(), UNKNOWN));
        json.addProperty("active_speed", SPEEDS.getOrDefault(port.activeSpeed(), UNKNOWN));
        json.addProperty("phys_state", PHYSICAL_STATES.getOrDefault(port.physicalState(), UNKNOWN));
        json.addProperty("pkey_tbl_len", port.pkeyTableLength());
        final JsonArray pkeyTable = new JsonArray();
        pkeys.forEach((index, pkey) -> {
            final JsonObject entry = new JsonObject();
            entry.addProperty("index", index);
            entry.addProperty("pkey", String.format("0x%04x", pkey));
            pkeyTable.add(entry);
        });
        json.add("pkeys", pkeyTable);
        json.addProperty("gid_tbl_len", port.gidTableLength());
        final JsonArray gidTable = new JsonArray();
        gids.forEach((index, entry) -> gidTable.add(entry.toJson(index)));
        json.add("gids", gidTable);
        return json;
    }

    private static String mtu(final Mtu mtu) {
        return mtu.bytes() + " (" + mtu.code() + ")";
    }

    private static String coded(final Map<Integer, String> names, final int code) {
        return names.getOrDefault(code, UNKNOWN) + " (" + code + ")";
    }
}
