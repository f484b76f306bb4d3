/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.av;

import io.rdma4j.fabric.AddressFormat;
import io.rdma4j.fabric.FabricAddress;

import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Addresses as they were inserted, by place, where they are not what the device address says anyhow: bytes of sockets
 * as they are; text with its length in front, or elsewhere if it is longer than most. Changed by one thread at a time;
 * what is read beside a change is told apart by who asks.
 */
final class Originals {
    /** One byte of length, and text such as an IPv4 address with its port. */
    private static final int TEXT_WORDS = 6;
    private static final int LONG_TEXT = 0xff;

    private final AddressFormat format;
    private final int words;
    private final Column column;
    private final Map<Integer, byte[]> longTexts = new ConcurrentHashMap<>();
    /** For changes. */
    private final UnsafeBuffer scratch = new UnsafeBuffer(new byte[TEXT_WORDS * Long.BYTES]);

    Originals(final AddressFormat format) {
        this.format = format;
        words = switch (format) {
            case DEVICE -> 0;
            // What follows the address is padding.
            case SOCKADDR_IN -> 1;
            case SOCKADDR_IN6 -> 4;
            case STR -> TEXT_WORDS;
        };
        column = words == 0 ? null : new Column(words);
    }

    /** Whether the device address says it all. */
    boolean isEmpty() {
        return words == 0;
    }

    void put(final int place, final AvEntry entry) {
        if (words == 0) {
            return;
        }
        scratch.setMemory(0, scratch.capacity(), (byte) 0);
        if (format == AddressFormat.STR) {
            putText(place, entry);
        } else {
            scratch.putBytes(0, entry.bytes(), 0, Math.min(entry.length(), words * Long.BYTES));
        }
        column.grow(place);
        for (int i = 0; i < words; i++) {
            column.set(place, i, scratch.getLong(i * Long.BYTES));
        }
    }

    private void putText(final int place, final AvEntry entry) {
        if (entry.length() < scratch.capacity()) {
            scratch.putByte(0, (byte) entry.length());
            scratch.putBytes(1, entry.bytes(), 0, entry.length());
            return;
        }
        final byte[] text = new byte[entry.length()];
        entry.bytes().getBytes(0, text);
        scratch.putByte(0, (byte) LONG_TEXT);
        longTexts.put(place, text);
    }

    void remove(final int place) {
        if (format == AddressFormat.STR) {
            longTexts.remove(place);
        }
    }

    /** Copies as much as there is room for; the bytes that all of it needs, anything if it changes meanwhile. */
    int get(final int place, final MutableDirectBuffer to, final int offset, final int length) {
        if (format == AddressFormat.STR) {
            final byte[] text = text(place);
            to.putBytes(offset, text, 0, Math.min(length, text.length));
            return text.length;
        }
        final int size = FabricAddress.size(format);
        final int room = Math.min(length, size);
        for (int i = 0; i < room; i++) {
            final int word = i / Long.BYTES;
            to.putByte(offset + i, word < words ? (byte) (column.get(place, word) >>> i % Long.BYTES * 8) : 0);
        }
        return size;
    }

    private byte[] text(final int place) {
        final UnsafeBuffer copy = new UnsafeBuffer(new byte[TEXT_WORDS * Long.BYTES]);
        for (int i = 0; i < TEXT_WORDS; i++) {
            copy.putLong(i * Long.BYTES, column.get(place, i));
        }
        final int length = copy.getByte(0) & 0xff;
        if (length == LONG_TEXT) {
            return longTexts.getOrDefault(place, new byte[0]);
        }
        final byte[] text = new byte[Math.min(length, copy.capacity() - 1)];
        copy.getBytes(1, text);
        return text;
    }

    long memoryUse() {
        // Roughly what a map takes for each of its values.
        return (column == null ? 0 : column.memoryUse())
            + longTexts.values().stream().mapToLong(text -> Memory.of(text) + 64).sum();
    }
}
