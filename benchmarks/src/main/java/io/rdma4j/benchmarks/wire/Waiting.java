/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.benchmarks.wire;

import io.rdma4j.benchmarks.harness.Patience;

/** Waits as perf does: others may run now and then, which on a busy machine may be the other process. */
final class Waiting {
    private static final int MASK = 0xff;

    private final Patience patience;
    private int turns;

    Waiting(final Patience patience) {
        this.patience = patience;
    }

    /** Nothing came. */
    void turn() {
        patience.check();
        if ((++turns & MASK) == 0) {
            Thread.yield();
        }
    }
}
