/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.perf;

import com.google.gson.JsonElement;

import java.util.ArrayList;
import java.util.List;

/** A value in JSON that may be anything, with its place, so that what is wrong can be found. */
final class JsonPlace {
    private final String path;
    private final JsonElement value;

    private JsonPlace(final String path, final JsonElement value) {
        this.path = path;
        this.value = value;
    }

    static JsonPlace root(final JsonElement value) {
        return new JsonPlace("", value);
    }

    boolean has(final String name) {
        return value.isJsonObject() && value.getAsJsonObject().has(name);
    }

    JsonPlace at(final String name) {
        final String inner = path.isEmpty() ? name : path + '.' + name;
        if (!has(name)) {
            throw new IllegalArgumentException(inner + " is missing");
        }
        return new JsonPlace(inner, value.getAsJsonObject().get(name));
    }

    List<JsonPlace> items() {
        if (!value.isJsonArray()) {
            throw wrong("is no list");
        }
        final List<JsonPlace> items = new ArrayList<>();
        for (final JsonElement item : value.getAsJsonArray()) {
            items.add(new JsonPlace(path + '[' + items.size() + ']', item));
        }
        return items;
    }

    String text() {
        if (!value.isJsonPrimitive() || !value.getAsJsonPrimitive().isString()) {
            throw wrong("is no text");
        }
        return value.getAsString();
    }

    String textOrNull() {
        return value.isJsonNull() ? null : text();
    }

    /** A finite number that is not negative: there are no others in a run. */
    double number() {
        if (!value.isJsonPrimitive() || !value.getAsJsonPrimitive().isNumber()) {
            throw wrong("is no number");
        }
        final double number;
        try {
            number = value.getAsDouble();
        } catch (final NumberFormatException e) {
            throw wrong("is no number");
        }
        if (!Double.isFinite(number) || number < 0) {
            throw wrong("is out of range");
        }
        return number;
    }

    long integer(final long least, final long most) {
        final double number = number();
        if (number != Math.rint(number) || number < least || number > most) {
            throw wrong("is out of range");
        }
        return (long) number;
    }

    IllegalArgumentException wrong(final String why) {
        return new IllegalArgumentException((path.isEmpty() ? "the file" : path) + ' ' + why);
    }
}
