/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.rdma4j.tools.pingpong.Answering;
import io.rdma4j.tools.pingpong.PingPongOptions;

import java.io.PrintWriter;

/** What pingpong prints on the side that listened. The times are on the other side. */
final class AnsweringReport {
    private final String device;
    private final PingPongOptions options;
    private final Answering.Outcome outcome;

    AnsweringReport(final String device, final PingPongOptions options, final Answering.Outcome outcome) {
        this.device = device;
        this.options = options;
        this.outcome = outcome;
    }

    void print(final PrintWriter out) {
        out.printf("%s: %s QP 0x%06x <-> %s QP 0x%06x%n", PingpongReport.title(options), device, outcome.qpNumber(),
            Answering.textOf(outcome.peer()), outcome.peerQpNumber());
        if (!options.operation().isMutual()) {
            out.println("This end lent its memory; the times, and what was checked, are on the other side.");
        } else if (options.validate()) {
            out.printf("%d messages came, each byte of them was checked. The times are on the other side.%n",
                outcome.answered());
        } else {
            out.printf("%d messages came, not checked. The times are on the other side.%n", outcome.answered());
        }
    }

    JsonObject toJson() {
        final JsonObject json = new JsonObject();
        final JsonArray devices = new JsonArray();
        devices.add(device);
        json.add("devices", devices);
        json.addProperty("peer", Answering.textOf(outcome.peer()));
        json.addProperty("op", options.operation().option());
        json.addProperty("transport", options.transport().name());
        json.addProperty("qp", outcome.qpNumber());
        json.addProperty("peer_qp", outcome.peerQpNumber());
        json.addProperty("bytes", options.size());
        if (options.operation().isMutual()) {
            json.addProperty("messages", outcome.answered());
            json.addProperty("messages_validated", options.validate() ? outcome.answered() : 0);
        }
        return json;
    }
}
