/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools;

import com.google.gson.JsonObject;
import io.rdma4j.tools.traffic.Answering;
import io.rdma4j.tools.traffic.PingPongOptions;

import java.io.PrintWriter;
import java.util.List;

/** What pingpong prints on the side that listened. The times are on the other side. */
final class AnsweringReport {
    private final String device;
    private final PingPongOptions options;
    private final boolean ibverbs;
    private final Answering.Outcome outcome;

    AnsweringReport(final String device, final PingPongOptions options, final boolean ibverbs,
        final Answering.Outcome outcome) {
        this.device = device;
        this.options = options;
        this.ibverbs = ibverbs;
        this.outcome = outcome;
    }

    void print(final PrintWriter out) {
        out.printf("%s: %s QP 0x%06x <-> %s QP 0x%06x%n", PingpongReport.title(options), device, outcome.qpNumber(),
            Answering.textOf(outcome.peer()), outcome.peerQpNumber());
        if (!options.operation().isMutual()) {
            out.println("This end lent its memory; the times, and what was checked, are on the other side.");
        } else if (options.validate() && ibverbs) {
            out.printf("%d messages came, each byte of all but the first was checked. The times are on the other "
                + "side.%n", outcome.messages());
        } else if (options.validate()) {
            out.printf("%d messages came, each byte of them was checked. The times are on the other side.%n",
                outcome.messages());
        } else {
            out.printf("%d messages came, not checked. The times are on the other side.%n", outcome.messages());
        }
    }

    JsonObject toJson() {
        final JsonObject json = PingpongReport.head(List.of(device), Answering.textOf(outcome.peer()), options);
        json.addProperty("qp", outcome.qpNumber());
        json.addProperty("peer_qp", outcome.peerQpNumber());
        json.addProperty("bytes", options.size());
        if (options.operation().isMutual()) {
            json.addProperty("messages", outcome.messages());
            json.addProperty("messages_validated", !options.validate() ? 0
                : ibverbs ? outcome.messages() - 1 : outcome.messages());
        }
        return json;
    }
}
