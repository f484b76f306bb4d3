/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.replay;

import io.rdma4j.verbs.pvrdma.trace.TraceFormat;

import java.util.Map;

/**
 * A record of a trace.
 *
 * @param line   number of its line, from 1.
 * @param device number of the device, from 1.
 * @param kind   one of the kinds of {@link TraceFormat}.
 * @param fields by name.
 */
record TraceRecord(int line, int device, String kind, Map<String, String> fields) {
    String text(final String field) {
        final String value = fields.get(field);
        if (value == null) {
            throw broken("a record '" + kind + "' needs " + field + "=");
        }
        return value;
    }

    /** A number of 32 bits, in figures or as 0x... */
    int number(final String field) {
        final String text = text(field);
        try {
            return text.startsWith("0x") ? Integer.parseUnsignedInt(text.substring(2), 16)
                : Integer.parseUnsignedInt(text);
        } catch (final NumberFormatException e) {
            throw broken(field + "=" + text + " is no number of 32 bits");
        }
    }

    /** The bytes of a struct, with the zeros at its end. */
    byte[] bytes(final String field, final int length) {
        final String text = text(field);
        final byte[] bytes = new byte[length];
        if (text.equals(TraceFormat.NO_BYTES)) {
            return bytes;
        }
        if ((text.length() & 1) != 0 || text.length() > 2 * length) {
            throw broken(field + " has " + text.length() + " digits; allowed is an even number up to " + 2 * length);
        }
        for (int i = 0; i < text.length(); i += 2) {
            final int high = Character.digit(text.charAt(i), 16);
            final int low = Character.digit(text.charAt(i + 1), 16);
            if (high < 0 || low < 0) {
                throw broken(field + " has '" + text.substring(i, i + 2) + "', which is no byte in hexadecimal");
            }
            bytes[i / 2] = (byte) (high << 4 | low);
        }
        return bytes;
    }

    IllegalArgumentException broken(final String why) {
        return new IllegalArgumentException("line " + line + ": " + why);
    }
}
