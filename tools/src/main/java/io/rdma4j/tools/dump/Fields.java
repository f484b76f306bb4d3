/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.dump;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import io.rdma4j.hw.layout.Layout;
import io.rdma4j.hw.layout.Names;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

import java.util.HexFormat;

/**
 * Makes JSON of numbers and structs. Numbers of up to 32 bits are JSON numbers; longer ones (addresses, keys, GUIDs)
 * are strings in hexadecimal, because many a reader of JSON keeps no more than 53 bits. A value with a name is an
 * object with {@code value} and {@code name}; one that makes no sense has a member {@code invalid} that says why.
 */
public final class Fields {
    /** Member: the number of a value that is an object. */
    public static final String VALUE = "value";
    /** Member: its name. */
    public static final String NAME = "name";
    /** Member: why a value, a row or a section makes no sense. */
    public static final String INVALID = "invalid";


    private Fields() {
    }

    /**
     * All fields of a struct, in their order. Reserved bytes are left out while they are zero, and invalid otherwise.
     *
     * @param layout what it looks like.
     * @param buffer holds it.
     * @param offset where it begins; the buffer must hold all of it.
     * @return a new object, whose members are named as in C.
     */
    public static JsonObject of(final Layout layout, final DirectBuffer buffer, final int offset) {
        final JsonObject json = new JsonObject();
        for (final Layout.Field field : layout.fields()) {
            final JsonElement value = value(field, buffer, offset);
            if (field.kind() != Layout.Kind.RESERVED) {
                json.add(field.name(), value);
            } else if (!value.getAsString().matches("0*")) {
                json.add(field.name(), invalid(value, "reserved bytes must be zero"));
            }
        }
        return json;
    }

    /**
     * All fields of a struct.
     *
     * @param layout what it looks like.
     * @param bytes  holds it, from the beginning; if they are too few the result says so.
     * @return a new object.
     */
    public static JsonObject of(final Layout layout, final byte[] bytes) {
        if (bytes.length < layout.length()) {
            final JsonObject json = new JsonObject();
            json.addProperty(INVALID, layout.name() + " has " + layout.length() + " bytes, there are " + bytes.length);
            return json;
        }
        return of(layout, new UnsafeBuffer(bytes), 0);
    }

    /**
     * One field.
     *
     * @param field  which.
     * @param buffer holds the struct.
     * @param base   where the struct begins.
     * @return its value.
     */
    public static JsonElement value(final Layout.Field field, final DirectBuffer buffer, final int base) {
        if (!field.isNumber()) {
            final byte[] copy = new byte[field.size()];
            buffer.getBytes(base + field.offset(), copy);
            return bytes(copy);
        }
        final long value = field.number(buffer, base);
        if (field.size() == Long.BYTES) {
            return hex(value);
        }
        return field.names() == null ? new JsonPrimitive(value) : named(value, field.names());
    }

    /**
     * A number of up to 32 bits, of which each counts.
     *
     * @param value the bits.
     * @return an unsigned number.
     */
    public static JsonElement unsigned(final int value) {
        return new JsonPrimitive(Integer.toUnsignedLong(value));
    }

    /**
     * An address, a key, a mask: whatever is better read in hexadecimal.
     *
     * @param value the bits.
     * @return a string that begins with 0x.
     */
    public static JsonElement hex(final long value) {
        return new JsonPrimitive("0x" + Long.toHexString(value));
    }

    /**
     * Bytes in their order.
     *
     * @param bytes any number.
     * @return a string of hexadecimal digits.
     */
    public static JsonElement bytes(final byte[] bytes) {
        return new JsonPrimitive(HexFormat.of().formatHex(bytes));
    }

    /**
     * A number of up to 32 bits that should have a name; one that has none is invalid.
     *
     * @param value the number.
     * @param names of all numbers that may be there.
     * @return a new object.
     */
    public static JsonObject named(final long value, final Names names) {
        final JsonObject json = named(new JsonPrimitive(value), (int) value, names);
        return value >>> Integer.SIZE == 0 ? json : invalid(json, "more than 32 bits");
    }

    /** As {@link #named(long, Names)}, with a number that is written in a way of its own. */
    static JsonObject named(final JsonElement written, final int value, final Names names) {
        final JsonObject json = new JsonObject();
        json.add(VALUE, written);
        json.addProperty(NAME, names.of(value));
        if (names.find(value) == null) {
            json.addProperty(INVALID, "no such value");
        }
        return json;
    }

    /**
     * Marks a value that makes no sense. An object is marked itself, of anything else it becomes one.
     *
     * @param value the value.
     * @param why   what is wrong, a few words; added to what was wrong before.
     * @return an object with a member {@value #INVALID}.
     */
    public static JsonObject invalid(final JsonElement value, final String why) {
        final JsonObject json;
        if (value.isJsonObject()) {
            json = value.getAsJsonObject();
        } else {
            json = new JsonObject();
            json.add(VALUE, value);
        }
        final String before = Nodes.text(json, INVALID);
        json.addProperty(INVALID, before.isEmpty() ? why : before + "; " + why);
        return json;
    }
}
