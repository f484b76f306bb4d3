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
    FULL;

    /**
     * Chooses between two counts.
     *
     * @param quick the count for {@link #QUICK}.
     * @param full  the count for {@link #FULL}.
     * @return one of them.
     */
    int times(final int quick, final int full) {
        return this == QUICK ? quick : full;
    }
}
