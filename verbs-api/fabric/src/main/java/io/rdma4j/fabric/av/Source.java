/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.av;

/** Addresses of one insertion. */
interface Source {
    /** How many. */
    int count();

    /** Whether others are asked for device addresses, which may last. */
    boolean asks();

    /**
     * Has entries say what was inserted and where the device finds it.
     *
     * @param first    index of the first one.
     * @param some     how many.
     * @param entries  filled in.
     * @param problems null where there is none, else what is wrong.
     */
    void load(int first, int some, AvEntry[] entries, Problem[] problems);
}
