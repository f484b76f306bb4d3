/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.dump;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.rdma4j.driver.live.LiveError;

import java.time.Instant;

/** The distinct error log: each error once, with how often it happened. */
public final class ErrorsSection implements Section {
    private static final String ERRORS = "errors";
    private static final String COUNT = "count";
    private static final String FIRST = "first";
    private static final String LAST = "last";
    private static final String TEXT = "text";

    /** Stateless. */
    public ErrorsSection() {
        // Nothing to set.
    }

    @Override
    public String name() {
        return ERRORS;
    }

    @Override
    public String title() {
        return "distinct errors since the device was opened";
    }

    @Override
    public JsonObject read(final DumpSource source) {
        final JsonArray rows = new JsonArray();
        source.view().errors().forEach(error -> rows.add(row(error)));
        final JsonObject section = new JsonObject();
        section.add(ERRORS, rows);
        if (rows.isEmpty()) {
            section.addProperty(DumpDocument.NOTE, "none");
        }
        return section;
    }

    private static JsonObject row(final LiveError error) {
        final JsonObject row = new JsonObject();
        row.addProperty(COUNT, error.count());
        row.addProperty(FIRST, Instant.ofEpochMilli(error.firstMillis()).toString());
        row.addProperty(LAST, Instant.ofEpochMilli(error.lastMillis()).toString());
        row.addProperty(TEXT, error.text());
        if (error.count() < 1) {
            Fields.invalid(row, "what is in the log happened");
        } else if (error.lastMillis() < error.firstMillis()) {
            Fields.invalid(row, "the last time is before the first");
        }
        return row;
    }

    @Override
    public void print(final JsonObject section, final DumpPrinter out) {
        for (final JsonObject error : Nodes.objects(section, ERRORS)) {
            out.heading(Nodes.text(error, COUNT) + " times, first " + Nodes.text(error, FIRST) + ", last "
                + Nodes.text(error, LAST), error);
            Nodes.text(error, TEXT).lines()
                .forEach(line -> out.indented().indented().line(line.replace("\t", "    ")));
        }
    }
}
