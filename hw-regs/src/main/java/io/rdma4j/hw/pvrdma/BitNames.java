/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.pvrdma;

/** Prints masks. */
final class BitNames {
    private BitNames() {
    }

    /** Joins the names of the bits that are set; {@code names} begins with bit 0. */
    static String of(int mask, String... names) {
        final StringBuilder text = new StringBuilder();
        for (int i = 0; i < names.length; i++) {
            if ((mask & 1 << i) != 0) {
                text.append(text.length() == 0 ? "" : "|").append(names[i]);
            }
        }
        final int rest = mask & -1 << names.length;
        if (rest != 0) {
            text.append(text.length() == 0 ? "" : "|").append("0x").append(Integer.toHexString(rest));
        }
        return text.length() == 0 ? "0" : text.toString();
    }
}
