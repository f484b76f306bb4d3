/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.replay;

import io.rdma4j.hw.layout.Layout;
import io.rdma4j.hw.layout.Layout.Kind;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/** Fields of a struct by name, as numbers and as text that is the same on every device. */
final class FieldText {
    private FieldText() {
    }

    static void putBytes(
        final MutableDirectBuffer buffer, final int base, final Layout.Field field, final byte[] bytes) {
        if (field.kind() != Kind.BYTES || bytes.length != field.size()) {
            throw new IllegalArgumentException(
                field.name() + " has " + field.size() + " bytes of kind " + field.kind() + ", not " + bytes.length);
        }
        buffer.putBytes(base + field.offset(), bytes);
    }

    static String text(final DirectBuffer buffer, final int base, final Layout.Field field) {
        return field.isNumber() ? hex(field.number(buffer, base)) : bytes(buffer, base + field.offset(), field.size());
    }

    static String hex(final long value) {
        return "0x" + Long.toHexString(value);
    }

    private static String bytes(final DirectBuffer buffer, final int at, final int size) {
        final StringBuilder text = new StringBuilder(2 * size);
        for (int i = 0; i < size; i++) {
            text.append(String.format("%02x", buffer.getByte(at + i)));
        }
        return text.toString();
    }

    static byte[] parseBytes(final String hex) {
        if (!hex.matches("([0-9a-fA-F]{2})+")) {
            throw new IllegalArgumentException("'" + hex + "' is not bytes in hexadecimal");
        }
        final byte[] bytes = new byte[hex.length() / 2];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) Integer.parseInt(hex.substring(2 * i, 2 * i + 2), 16);
        }
        return bytes;
    }
}
