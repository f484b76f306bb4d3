/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.dump;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Makes other documents of one: members missing, or of another kind. */
final class JsonMess {
    private static final long SEED = 42;

    private JsonMess() {
    }

    static List<JsonObject> variants(final JsonObject document, final int count) {
        final Random random = new Random(SEED);
        final List<JsonObject> all = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            all.add(messed(document, random, 2 + random.nextInt(60)).getAsJsonObject());
        }
        return all;
    }

    private static JsonElement messed(final JsonElement element, final Random random, final int every) {
        if (element.isJsonObject()) {
            final JsonObject copy = new JsonObject();
            element.getAsJsonObject().entrySet().forEach(member -> {
                if (random.nextInt(every) != 0) {
                    copy.add(member.getKey(), random.nextInt(every) == 0 ? other(random)
                        : messed(member.getValue(), random, every));
                }
            });
            return copy;
        }
        if (element.isJsonArray()) {
            final JsonArray copy = new JsonArray();
            element.getAsJsonArray().forEach(e -> copy.add(
                random.nextInt(every) == 0 ? other(random) : messed(e, random, every)));
            return copy;
        }
        return element;
    }

    private static JsonElement other(final Random random) {
        return switch (random.nextInt(6)) {
            case 0 -> JsonNull.INSTANCE;
            case 1 -> new JsonPrimitive("0xzz\n");
            case 2 -> new JsonPrimitive(-1e300);
            case 3 -> new JsonArray();
            case 4 -> new JsonObject();
            default -> new JsonPrimitive(true);
        };
    }
}
