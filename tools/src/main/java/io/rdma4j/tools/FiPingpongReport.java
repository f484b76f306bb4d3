/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.rdma4j.tools.traffic.FiPingPongOptions;
import io.rdma4j.tools.traffic.FiPingPongRow;
import io.rdma4j.tools.text.Json;
import io.rdma4j.tools.text.Table;

import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;

/** What fi_pingpong prints: the columns of libfabric's (fi_pingpong(1)), aligned; or JSON. */
final class FiPingpongReport {
    private static final String UNITS = "kmg";
    private static final int BINARY = 1024;
    private static final int DECIMAL = 1000;

    private final String device;
    private final String peerDevice;
    private final String peer;
    private final FiPingPongOptions options;
    private final List<FiPingPongRow> rows;

    /** The peer is null if both ends are here; so is the device of the other end, unless it is another one here. */
    FiPingpongReport(final String device, final String peerDevice, final String peer, final FiPingPongOptions options,
        final List<FiPingPongRow> rows) {
        this.device = device;
        this.peerDevice = peerDevice;
        this.peer = peer;
        this.options = options;
        this.rows = rows;
    }

    void print(final PrintWriter out) {
        final Table table = Table.ofNumbers("bytes", "#sent", "#ack", "total", "time", "MB/sec", "usec/xfer",
            "Mxfers/sec");
        for (final FiPingPongRow row : rows) {
            table.row(scaled(row.bytes(), BINARY), scaled(row.sent(), DECIMAL), ack(row),
                scaled(row.total(), BINARY), decimal(row.seconds()) + 's', decimal(row.megabytesPerSecond()),
                decimal(row.microsPerTransfer()), decimal(row.millionTransfersPerSecond()));
        }
        table.print(out);
        if (rows.stream().allMatch(row -> row.usec() != null)) {
            out.println();
            printTimes(out);
        }
    }

    /** Apart from libfabric's columns, which programs may read. */
    private void printTimes(final PrintWriter out) {
        final Table table = Table.ofNumbers("bytes", "p50[usec]", "p99[usec]", "p99.9[usec]", "max[usec]");
        for (final FiPingPongRow row : rows) {
            table.row(scaled(row.bytes(), BINARY), decimal(row.usec().p50()), decimal(row.usec().p99()),
                decimal(row.usec().p999()), decimal(row.usec().max()));
        }
        table.print(out);
    }

    /** As libfabric's: = and how many, or how many more or fewer than were sent. */
    private static String ack(final FiPingPongRow row) {
        final int missing = row.sent() - row.acked();
        return (missing == 0 ? "=" : missing > 0 ? "+" : "-")
            + scaled(missing == 0 ? row.acked() : Math.abs(missing), DECIMAL);
    }

    /** 1k for 1024 bytes, or for 1000 messages; what is no multiple is cut off, as libfabric's does. */
    static String scaled(final long value, final int unit) {
        long rest = value;
        int power = 0;
        while (rest >= unit && power < UNITS.length()) {
            rest /= unit;
            power++;
        }
        return rest + (power == 0 ? "" : UNITS.substring(power - 1, power));
    }

    JsonObject toJson() {
        final JsonObject json = new JsonObject();
        json.addProperty("device", device);
        json.addProperty("peer_device", peerDevice);
        json.addProperty("peer", peer);
        json.addProperty("ep_type", "FI_EP_" + options.type().name());
        json.addProperty("data_validated", options.checks());
        final JsonArray all = new JsonArray();
        for (final FiPingPongRow row : rows) {
            final JsonObject one = new JsonObject();
            one.addProperty("bytes", row.bytes());
            one.addProperty("sent", row.sent());
            one.addProperty("ack", row.acked());
            one.addProperty("total_bytes", row.total());
            one.addProperty("seconds", Json.rounded(row.seconds()));
            one.addProperty("mb_per_sec", Json.rounded(row.megabytesPerSecond()));
            one.add("usec_per_xfer", PingpongReport.toJson(row.microsPerTransfer(), row.usec()));
            one.addProperty("mxfers_per_sec", Json.rounded(row.millionTransfersPerSecond()));
            all.add(one);
        }
        json.add("rows", all);
        return json;
    }

    private static String decimal(final double value) {
        return String.format(Locale.ROOT, "%.2f", value);
    }
}
