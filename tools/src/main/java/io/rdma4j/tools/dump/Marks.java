/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.dump;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;

import java.util.StringJoiner;

/** Finds what is marked as invalid, however deep, for a line that shows a whole object. */
final class Marks {
    private Marks() {
    }

    /** What is wrong with an object and its members; empty if nothing is. */
    static String in(final JsonObject object) {
        final StringJoiner all = new StringJoiner("; ");
        collect("", object, all);
        return all.toString();
    }

    private static void collect(final String name, final JsonElement element, final StringJoiner all) {
        if (element.isJsonArray()) {
            element.getAsJsonArray().forEach(e -> collect(name, e, all));
        } else if (element.isJsonObject()) {
            final JsonObject object = element.getAsJsonObject();
            final String why = Nodes.text(object, Fields.INVALID);
            if (!why.isEmpty()) {
                all.add(name.isEmpty() ? why : name + ": " + why);
            }
            object.entrySet().forEach(member -> collect(member.getKey(), member.getValue(), all));
        }
    }
}
