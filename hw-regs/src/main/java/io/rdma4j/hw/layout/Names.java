/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.layout;

/**
 * The names of the values of a field: of an enumeration, or of the bits of a mask.
 */
@FunctionalInterface
public interface Names {

    /**
     * {@return the name of a value; null if it has none}
     *
     * @param value any value
     */
    String find(int value);

    /**
     * {@return the name of a value, or "unknown" and the value in hexadecimal}
     *
     * @param value any value
     */
    default String of(int value) {
        final String name = find(value);
        return name == null ? "unknown 0x" + Integer.toHexString(value) : name;
    }

    /**
     * {@return the names of values that follow each other}
     *
     * @param first value
     * @param names of it and those that follow
     */
    static Names of(int first, String... names) {
        return value -> value >= first && value - first < names.length ? names[value - first] : null;
    }

    /**
     * {@return names joined by a bar; bits without a name in hexadecimal; 0 for no bit}
     *
     * @param names of the bits, beginning with bit 0
     */
    static Names ofBits(String... names) {
        return mask -> {
            final StringBuilder text = new StringBuilder();
            for (int i = 0; i < names.length; i++) {
                if ((mask & 1 << i) != 0) {
                    text.append(text.isEmpty() ? "" : "|").append(names[i]);
                }
            }
            final int rest = mask & -1 << names.length;
            if (rest != 0) {
                text.append(text.isEmpty() ? "" : "|").append("0x").append(Integer.toHexString(rest));
            }
            return text.isEmpty() ? "0" : text.toString();
        };
    }
}
