/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.conformance;

/** How often cases repeat what they do: a device behind layers of emulation is worth fewer repetitions. */
enum Effort {
    /** Few repetitions, every kind of thing once. */
    QUICK,
    /** Many repetitions. */
    FULL,
    /** Twenty times as many, with as much more time: a wire that loses packets has many ways to lose them. */
    LONG;

    private static final int LONGER = 20;

    /**
     * Chooses between two counts.
     *
     * @param quick the count for {@link #QUICK}.
     * @param full  the count for {@link #FULL}.
     * @return one of them, or twenty times the second.
     */
    int times(final int quick, final int full) {
        return this == QUICK ? quick : full * factor();
    }

    /**
     * How much longer than usual a case may take.
     *
     * @return a factor.
     */
    int factor() {
        return this == LONG ? LONGER : 1;
    }
}
