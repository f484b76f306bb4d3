/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import java.util.ArrayDeque;
import java.util.Deque;

/** Takes back what was done so far, last things first, unless everything succeeded. */
final class Undo implements AutoCloseable {
    private final Deque<Runnable> steps = new ArrayDeque<>();

    /** Adds what takes the last step back. */
    void add(final Runnable step) {
        steps.push(step);
    }

    /** Everything succeeded. */
    void forget() {
        steps.clear();
    }

    @Override
    public void close() {
        final Cleanup cleanup = new Cleanup();
        steps.forEach(cleanup::run);
        steps.clear();
        cleanup.throwIfFailed();
    }
}
