/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.dump;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.rdma4j.driver.live.LiveCounter;

/** The counters of the device. */
public final class CountersSection implements Section {
    private static final String COUNTERS = "counters";
    private static final String COUNT = "count";
    private static final String LABEL = "label";

    /** Stateless. */
    public CountersSection() {
        // Nothing to set.
    }

    @Override
    public String name() {
        return COUNTERS;
    }

    @Override
    public String title() {
        return "what was counted since the device was opened";
    }

    @Override
    public JsonObject read(final DumpSource source) {
        final JsonArray rows = new JsonArray();
        for (final LiveCounter counter : source.view().counters()) {
            final JsonObject row = new JsonObject();
            row.addProperty(COUNT, counter.value());
            row.addProperty(LABEL, counter.label());
            if (counter.value() < 0) {
                Fields.invalid(row, "a count is not negative");
            }
            rows.add(row);
        }
        final JsonObject section = new JsonObject();
        section.add(COUNTERS, rows);
        return section;
    }

    @Override
    public void print(final JsonObject section, final DumpPrinter out) {
        out.table(Nodes.objects(section, COUNTERS), COUNT, LABEL);
    }
}
