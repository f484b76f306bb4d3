/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.rdma4j.tools.text.Json;
import io.rdma4j.tools.text.Table;
import io.rdma4j.tools.traffic.LatencyRow;
import io.rdma4j.tools.traffic.PingPongOptions;
import io.rdma4j.tools.traffic.PingPongResult;

import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;

/**
 * What pingpong prints. A transfer is one message one way, half a round trip, or one whole READ or atomic, as in
 * perftest and in fi_pingpong.
 */
final class PingpongReport {
    private final Ends ends;
    private final PingPongOptions options;
    private final PingPongResult result;

    /**
     * Who played.
     *
     * @param devices devices of this process: one, or two.
     * @param peer    where the other process was reached; null if both ends are here.
     */
    record Ends(List<String> devices, String peer) {
        String near() {
            return devices.get(0);
        }

        String far() {
            return peer == null ? devices.get(devices.size() - 1) : peer;
        }
    }

    PingpongReport(final Ends ends, final PingPongOptions options, final PingPongResult result) {
        this.ends = ends;
        this.options = options;
        this.result = result;
    }

    void print(final PrintWriter out) {
        out.printf("%s: %s QP 0x%06x <-> %s QP 0x%06x, %s%n", title(options), ends.near(), result.qpNumber(),
            ends.far(), result.peerQpNumber(), threads());
        out.println();
        Table.ofNumbers("#bytes", "#iterations", "time[sec]", "MB/sec", "usec/xfer", "Mxfers/sec", "p50[usec]",
            "p99[usec]", "p99.9[usec]", "max[usec]").row(
                Integer.toString(options.size()),
                Long.toString(result.times().iterations()),
                decimal(result.times().seconds()),
                decimal(result.megabytesPerSecond()),
                decimal(result.microsPerTransfer()),
                decimal(result.millionTransfersPerSecond()),
                decimal(result.times().usec().p50()),
                decimal(result.times().usec().p99()),
                decimal(result.times().usec().p999()),
                decimal(result.times().usec().max())).print(out);
        out.println();
        explain(out);
    }

    /** What is played, in a few words. */
    static String title(final PingPongOptions options) {
        return options.transport() + " " + options.operation().game();
    }

    private void explain(final PrintWriter out) {
        final boolean mutual = options.operation().isMutual();
        if (mutual) {
            out.println("A transfer (xfer) is one message one way: half a round trip, also in the percentiles.");
            out.println("MB/sec (10^6 bytes) and Mxfers/sec count both directions.");
        } else {
            out.printf("A transfer (xfer) is one %s, there and back, also in the percentiles.%n",
                options.operation().title());
        }
        if (!options.validate()) {
            out.println("Data validated: no.");
        } else if (options.operation().isAtomic()) {
            out.printf("Data validated: yes, the value before of each of %d operations.%n", result.transfers());
        } else {
            out.printf("Data validated: yes, each byte of %d messages. The times include %schecking them.%n",
                result.transfers(), mutual ? "writing and " : "");
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

    /** Who plays what: the peer is null if both ends are here. */
    static JsonObject head(final List<String> devices, final String peer, final PingPongOptions options) {
        final JsonObject json = new JsonObject();
        final JsonArray addresses = new JsonArray();
        devices.forEach(addresses::add);
        json.add("devices", addresses);
        if (peer != null) {
            json.addProperty("peer", peer);
        }
        json.addProperty("op", options.operation().option());
        json.addProperty("transport", options.transport().name());
        return json;
    }

    JsonObject toJson() {
        final JsonObject json = head(ends.devices(), ends.peer(), options);
        json.addProperty("qp", result.qpNumber());
        json.addProperty("peer_qp", result.peerQpNumber());
        json.addProperty("threads", options.pace().threads());
        json.addProperty("wait", options.pace().mode().name().toLowerCase(Locale.ROOT));
        json.addProperty("bytes", options.size());
        json.addProperty("iterations", result.times().iterations());
        json.addProperty("warmup_iterations", result.warmupIterations());
        json.addProperty("seconds", Json.rounded(result.times().seconds()));
        json.addProperty("mb_per_sec", Json.rounded(result.megabytesPerSecond()));
        json.addProperty("mxfers_per_sec", Json.rounded(result.millionTransfersPerSecond()));
        json.addProperty("xfer_is", options.operation().isMutual() ? "half a round trip" : "a whole operation");
        json.add("usec_per_xfer", toJson(result.microsPerTransfer(), result.times().usec()));
        json.addProperty("data_validated", options.validate());
        json.addProperty("messages_validated", options.validate() ? result.transfers() : 0);
        return json;
    }

    /** Microseconds of a transfer; the mean alone where single ones are not known. */
    static JsonObject toJson(final double mean, final LatencyRow.Times usec) {
        final JsonObject transfer = new JsonObject();
        transfer.addProperty("mean", Json.rounded(mean));
        if (usec != null) {
            transfer.addProperty("p50", Json.rounded(usec.p50()));
            transfer.addProperty("p99", Json.rounded(usec.p99()));
            transfer.addProperty("p99_9", Json.rounded(usec.p999()));
            transfer.addProperty("max", Json.rounded(usec.max()));
        }
        return transfer;
    }

    private static String decimal(final double value) {
        return String.format(Locale.ROOT, "%.2f", value);
    }
}
