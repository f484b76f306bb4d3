/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.replay;

import static java.nio.ByteOrder.BIG_ENDIAN;
import static java.nio.ByteOrder.LITTLE_ENDIAN;

import io.rdma4j.hw.layout.Layout;
import io.rdma4j.hw.layout.Layout.Kind;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/** Fields of a struct by name, as numbers and as text that is the same on every device. */
final class FieldText {
    private FieldText() {
    }

    static void putNumber(
        final MutableDirectBuffer buffer, final int base, final Layout.Field field, final long value) {
        final int at = base + field.offset();
        switch (field.kind()) {
            case U8 -> buffer.putByte(at, (byte) value);
            case U16 -> buffer.putShort(at, (short) value, LITTLE_ENDIAN);
            case BE16 -> buffer.putShort(at, (short) value, BIG_ENDIAN);
            case U32 -> buffer.putInt(at, (int) value, LITTLE_ENDIAN);
            case BE32 -> buffer.putInt(at, (int) value, BIG_ENDIAN);
            case U64 -> buffer.putLong(at, value, LITTLE_ENDIAN);
            case BE64 -> buffer.putLong(at, value, BIG_ENDIAN);
            default -> throw new IllegalArgumentException(field.name() + " is not a number");
        }
    }

    static void putBytes(
        final MutableDirectBuffer buffer, final int base, final Layout.Field field, final byte[] bytes) {
        if (field.kind() != Kind.BYTES || bytes.length != field.size()) {
            throw new IllegalArgumentException(
                field.name() + " has " + field.size() + " bytes of kind " + field.kind() + ", not " + bytes.length);
        }
        buffer.putBytes(base + field.offset(), bytes);
    }

    static boolean isNumber(final Layout.Field field) {
        return field.kind() != Kind.BYTES && field.kind() != Kind.RESERVED;
    }

    static long number(final DirectBuffer buffer, final int base, final Layout.Field field) {
        final int at = base + field.offset();
        return switch (field.kind()) {
            case U8 -> buffer.getByte(at) & 0xffL;
            case U16 -> buffer.getShort(at, LITTLE_ENDIAN) & 0xffffL;
            case BE16 -> buffer.getShort(at, BIG_ENDIAN) & 0xffffL;
            case U32 -> buffer.getInt(at, LITTLE_ENDIAN) & 0xffff_ffffL;
            case BE32 -> buffer.getInt(at, BIG_ENDIAN) & 0xffff_ffffL;
            case U64 -> buffer.getLong(at, LITTLE_ENDIAN);
            case BE64 -> buffer.getLong(at, BIG_ENDIAN);
            default -> throw new IllegalArgumentException(field.name() + " is not a number");
        };
    }

    static String text(final DirectBuffer buffer, final int base, final Layout.Field field) {
        return isNumber(field) ? hex(number(buffer, base, field)) : bytes(buffer, base + field.offset(), field.size());
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
