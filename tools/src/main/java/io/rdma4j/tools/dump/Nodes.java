/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.dump;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;

import java.util.ArrayList;
import java.util.List;

/** Reads JSON that may not be what it should be: what is missing, or of another kind, is empty. */
public final class Nodes {
    private static final int HEX = 16;
    private static final String HEX_PREFIX = "0x";

    private Nodes() {
    }

    /**
     * A member that is an object.
     *
     * @param parent of it.
     * @param name   of it.
     * @return the member; an empty object if there is none.
     */
    public static JsonObject object(final JsonObject parent, final String name) {
        final JsonElement member = parent.get(name);
        return member != null && member.isJsonObject() ? member.getAsJsonObject() : new JsonObject();
    }

    /**
     * A member that is an array.
     *
     * @param parent of it.
     * @param name   of it.
     * @return the member; an empty array if there is none.
     */
    public static JsonArray array(final JsonObject parent, final String name) {
        final JsonElement member = parent.get(name);
        return member != null && member.isJsonArray() ? member.getAsJsonArray() : new JsonArray();
    }

    /**
     * The objects in a member that is an array.
     *
     * @param parent of it.
     * @param name   of it.
     * @return those elements that are objects.
     */
    public static List<JsonObject> objects(final JsonObject parent, final String name) {
        final List<JsonObject> objects = new ArrayList<>();
        for (final JsonElement element : array(parent, name)) {
            if (element.isJsonObject()) {
                objects.add(element.getAsJsonObject());
            }
        }
        return objects;
    }

    /**
     * A member that is a string, number or truth value.
     *
     * @param parent of it.
     * @param name   of it.
     * @return as text; empty if there is none.
     */
    public static String text(final JsonObject parent, final String name) {
        final JsonElement member = parent.get(name);
        return member != null && member.isJsonPrimitive() ? member.getAsString() : "";
    }

    /**
     * A number: itself, in hexadecimal, or with a name.
     *
     * @param parent   of it.
     * @param name     of it.
     * @param fallback if there is none.
     * @return its low 64 bits.
     */
    public static long number(final JsonObject parent, final String name, final long fallback) {
        final JsonElement member = parent.get(name);
        if (member == null || member.isJsonNull()) {
            return fallback;
        }
        final JsonElement value = member.isJsonObject() ? member.getAsJsonObject().get(Fields.VALUE) : member;
        return value != null && value.isJsonPrimitive() ? number(value.getAsJsonPrimitive(), fallback) : fallback;
    }

    private static long number(final JsonPrimitive value, final long fallback) {
        final String text = value.getAsString();
        try {
            return text.startsWith(HEX_PREFIX) ? Long.parseUnsignedLong(text.substring(HEX_PREFIX.length()), HEX)
                : Long.parseLong(text);
        } catch (final NumberFormatException e) {
            return fallback;
        }
    }

    /**
     * Whether a value is printed on one line: a string, a number, or an object with a value.
     *
     * @param element any.
     * @return false for arrays and other objects.
     */
    public static boolean isValue(final JsonElement element) {
        return element.isJsonPrimitive() || element.isJsonObject()
            && (element.getAsJsonObject().has(Fields.VALUE) || element.getAsJsonObject().has(Fields.NAME));
    }
}
