/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.host;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;

import java.util.List;

/**
 * Something that is missing.
 *
 * @param code       a name for programs.
 * @param isRequired whether {@code vfio:} does not work without it; else it is only slower or narrower.
 * @param problem    one sentence.
 * @param commands   what to type, in order; none where commands do not help.
 */
public record Finding(String code, boolean isRequired, String problem, List<String> commands) {
    static Finding required(final String code, final String problem, final String... commands) {
        return new Finding(code, true, problem, List.of(commands));
    }

    static Finding advised(final String code, final String problem, final String... commands) {
        return new Finding(code, false, problem, List.of(commands));
    }

    JsonObject toJson() {
        final JsonObject json = new JsonObject();
        json.addProperty("code", code);
        json.addProperty("required", isRequired);
        json.addProperty("problem", problem);
        final JsonArray array = new JsonArray();
        commands.forEach(array::add);
        json.add("commands", array);
        return json;
    }
}
