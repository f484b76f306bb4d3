/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.rdma4j.tools.replay.ReplayResult;

import java.io.PrintWriter;
import java.util.List;
import java.util.Map;

/** What came of a replay, for people and as JSON. */
final class ReplayReport {
    private static final int SHOWN = 50;

    private final ReplayResult result;

    ReplayReport(final ReplayResult result) {
        this.result = result;
    }

    void print(final PrintWriter out, final boolean all) {
        out.printf("%s, device %d: recorded on %s%n", result.trace(), result.number(), result.recordedOn());
        out.printf("%d steps played on %s, %d fields compared: %d unknown differences, %d known ones%n",
            result.steps(), result.playedOn(), result.comparison().fields(), result.comparison().unknown().size(),
            result.comparison().allowed().size());
        result.notes().forEach(note -> out.println("note: " + note));
        print(out, "left out of the trace", result.raw());
        print(out, "skipped on this device", result.skipped());
        print(out, "unknown", result.comparison().unknown(), all);
        print(out, "known", result.comparison().allowed(), all);
        if (result.comparison().unknown().isEmpty()) {
            out.println(result.comparison().allowed().isEmpty() ? "identical" : "alike, apart from what is known");
        }
    }

    private static void print(final PrintWriter out, final String title, final Map<String, Integer> counts) {
        counts.forEach((reason, count) -> out.printf("%s: %d x %s%n", title, count, reason));
    }

    private static void print(
        final PrintWriter out, final String title, final List<String> lines, final boolean all) {
        lines.stream().limit(all ? lines.size() : SHOWN).forEach(line -> out.println("  " + title + ": " + line));
        if (!all && lines.size() > SHOWN) {
            out.printf("  %s: %d more, --all prints them%n", title, lines.size() - SHOWN);
        }
    }

    JsonObject json() {
        final JsonObject json = new JsonObject();
        json.addProperty("rdma4j_replay", 1);
        json.addProperty("trace", result.trace());
        json.addProperty("trace_device", result.number());
        json.addProperty("recorded_on", result.recordedOn());
        json.addProperty("played_on", result.playedOn());
        json.addProperty("steps", result.steps());
        json.addProperty("fields", result.comparison().fields());
        json.addProperty("alike", result.isAlike());
        json.add("notes", array(result.notes()));
        json.add("left_out", counts(result.raw()));
        json.add("skipped", counts(result.skipped()));
        json.add("unknown", array(result.comparison().unknown()));
        json.add("known", array(result.comparison().allowed()));
        return json;
    }

    private static JsonElement array(final List<String> lines) {
        final JsonArray array = new JsonArray();
        lines.forEach(array::add);
        return array;
    }

    private static JsonElement counts(final Map<String, Integer> counts) {
        final JsonArray array = new JsonArray();
        counts.forEach((reason, count) -> {
            final JsonObject entry = new JsonObject();
            entry.addProperty("count", count);
            entry.addProperty("reason", reason);
            array.add(entry);
        });
        return array;
    }
}
