/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.rdma4j.tools.pingpong.PingPongOptions;
import io.rdma4j.tools.pingpong.PingPongResult;
import io.rdma4j.tools.text.Json;
import io.rdma4j.tools.text.Table;

import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;

/** What pingpong prints. A transfer is one message one way, half a round trip, as in perftest and in fi_pingpong. */
final class PingpongReport {
    private static final double P50 = 50;
    private static final double P99 = 99;
    private static final double P99_9 = 99.9;
    private static final double MAX = 100;
    private static final double NANOS = 1e9;

    private final List<String> devices;
    private final PingPongOptions options;
    private final PingPongResult result;

    PingpongReport(final List<String> devices, final PingPongOptions options, final PingPongResult result) {
        this.devices = devices;
        this.options = options;
        this.result = result;
    }

    void print(final PrintWriter out) {
        out.printf("%s ping-pong: %s QP 0x%06x <-> %s QP 0x%06x, %s%n", options.transport(), devices.get(0),
            result.qpNumber(), devices.get(devices.size() - 1), result.peerQpNumber(), threads());
        out.println();
        Table.ofNumbers("#bytes", "#iterations", "time[sec]", "MB/sec", "usec/xfer", "Mxfers/sec", "p50[usec]",
            "p99[usec]", "p99.9[usec]", "max[usec]").row(
                Integer.toString(options.size()),
                Long.toString(result.iterations()),
                decimal(result.elapsedNanos() / NANOS),
                decimal(result.megabytesPerSecond(options.size())),
                decimal(result.microsPerTransfer()),
                decimal(result.millionTransfersPerSecond()),
                decimal(result.microsAtPercentile(P50)),
                decimal(result.microsAtPercentile(P99)),
                decimal(result.microsAtPercentile(P99_9)),
                decimal(result.microsAtPercentile(MAX))).print(out);
        out.println();
        out.println("A transfer (xfer) is one message one way: half a round trip, also in the percentiles.");
        out.println("MB/sec (10^6 bytes) and Mxfers/sec count both directions.");
        if (options.validate()) {
            out.printf("Data validated: yes, each byte of %d messages. The times include writing and checking them.%n",
                result.messages());
        } else {
            out.println("Data validated: no.");
        }
    }

    private String threads() {
        final String count = options.pace().threads() == 1 ? "1 thread" : options.pace().threads() + " threads";
        switch (options.pace().mode()) {
            case SPIN:
                return count + ", spinning";
            case BLOCK:
                return count + ", sleeping until an interrupt";
            default:
                return count;
        }
    }

    JsonObject toJson() {
        final JsonObject json = new JsonObject();
        final JsonArray addresses = new JsonArray();
        devices.forEach(addresses::add);
        json.add("devices", addresses);
        json.addProperty("transport", options.transport().name());
        json.addProperty("qp", result.qpNumber());
        json.addProperty("peer_qp", result.peerQpNumber());
        json.addProperty("threads", options.pace().threads());
        json.addProperty("wait", options.pace().mode().name().toLowerCase(Locale.ROOT));
        json.addProperty("bytes", options.size());
        json.addProperty("iterations", result.iterations());
        json.addProperty("warmup_iterations", result.warmupIterations());
        json.addProperty("seconds", Json.rounded(result.elapsedNanos() / NANOS));
        json.addProperty("mb_per_sec", Json.rounded(result.megabytesPerSecond(options.size())));
        json.addProperty("mxfers_per_sec", Json.rounded(result.millionTransfersPerSecond()));
        json.addProperty("xfer_is", "half a round trip");
        final JsonObject transfer = new JsonObject();
        transfer.addProperty("mean", Json.rounded(result.microsPerTransfer()));
        transfer.addProperty("p50", Json.rounded(result.microsAtPercentile(P50)));
        transfer.addProperty("p99", Json.rounded(result.microsAtPercentile(P99)));
        transfer.addProperty("p99_9", Json.rounded(result.microsAtPercentile(P99_9)));
        transfer.addProperty("max", Json.rounded(result.microsAtPercentile(MAX)));
        json.add("usec_per_xfer", transfer);
        json.addProperty("data_validated", options.validate());
        json.addProperty("messages_validated", options.validate() ? result.messages() : 0);
        return json;
    }

    private static String decimal(final double value) {
        return String.format(Locale.ROOT, "%.2f", value);
    }
}
