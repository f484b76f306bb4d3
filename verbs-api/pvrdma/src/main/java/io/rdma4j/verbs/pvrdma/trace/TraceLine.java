/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma.trace;

import org.agrona.DirectBuffer;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** A record while it is put together. Guarded by the lock of the {@link TraceFile}. */
final class TraceLine {
    private static final byte[] DIGITS = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);

    private byte[] bytes = new byte[2048];
    private int length;

    TraceLine begin(final int device, final long nanos, final String kind) {
        length = 0;
        return text(Integer.toString(device)).text(" ").text(Long.toString(nanos)).text(" ").text(kind);
    }

    /** Latin letters as they are; what would break the line, or is none, becomes a question mark. */
    TraceLine text(final String text) {
        reserve(text.length());
        for (int i = 0; i < text.length(); i++) {
            final char letter = text.charAt(i);
            bytes[length++] = (byte) (letter < ' ' || letter > '~' ? '?' : letter);
        }
        return this;
    }

    TraceLine field(final String name, final String value) {
        return text(" ").text(name).text("=").text(value);
    }

    TraceLine field(final String name, final DirectBuffer buffer, final int offset, final int size) {
        text(" ").text(name).text("=");
        int left = size;
        while (left > 0 && buffer.getByte(offset + left - 1) == 0) {
            left--;
        }
        if (left == 0) {
            return text(TraceFormat.NO_BYTES);
        }
        reserve(2 * left);
        for (int i = 0; i < left; i++) {
            final int octet = buffer.getByte(offset + i);
            bytes[length++] = DIGITS[octet >> 4 & 0xf];
            bytes[length++] = DIGITS[octet & 0xf];
        }
        return this;
    }

    /** Ends the line. */
    TraceLine end() {
        reserve(1);
        bytes[length++] = '\n';
        return this;
    }

    byte[] bytes() {
        return bytes;
    }

    int length() {
        return length;
    }

    private void reserve(final int more) {
        if (length + more > bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, length + more));
        }
    }
}
