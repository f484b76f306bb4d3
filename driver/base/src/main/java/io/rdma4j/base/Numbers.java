/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.base;

import java.util.regex.Pattern;

/** Numbers in addresses: decimal, as zeros in front do not make them octal, or hexadecimal behind 0x. */
public final class Numbers {
    /** What such a number looks like. All of these fit into 63 bits. */
    public static final String FORM = "0[xX][0-9a-fA-F]{1,15}|[0-9]{1,18}";
    private static final Pattern PATTERN = Pattern.compile(FORM);
    private static final int HEX = 16;

    private Numbers() {
    }

    /**
     * Reads one.
     *
     * @param text without a sign and without blanks.
     * @return the number; -1 if the text is none.
     */
    public static long parse(final String text) {
        if (!PATTERN.matcher(text).matches()) {
            return -1;
        }
        return text.length() > 2 && Character.toLowerCase(text.charAt(1)) == 'x'
            ? Long.parseLong(text.substring(2), HEX) : Long.parseLong(text);
    }
}
