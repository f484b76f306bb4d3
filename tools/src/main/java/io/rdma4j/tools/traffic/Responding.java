/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.traffic;

/** What the end that answers does, step by step. For one thread. */
interface Responding {
    /**
     * Does what can be done now.
     *
     * @return 0 if there was nothing.
     */
    int step();

    /** Whether the other end said farewell. */
    boolean isOver();

    /** Messages answered so far. */
    long messages();
}
