/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.traffic;

/** Plays its part step by step, until it is over. For one thread. */
interface Player {
    /**
     * Does what can be done now.
     *
     * @return 0 if there was nothing.
     */
    int step();

    /** Whether the part was played to its end. */
    boolean isOver();
}
