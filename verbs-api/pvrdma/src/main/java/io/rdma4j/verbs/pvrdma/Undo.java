/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Consumer;

/** Takes back what was done so far, last things first, unless everything succeeded. */
final class Undo implements AutoCloseable {
    private final Deque<Consumer<Cleanup>> steps = new ArrayDeque<>();

    /** Adds what takes the last step back. */
    void add(final Runnable step) {
        steps.push(cleanup -> cleanup.run(step));
    }

    /** The same, but to be left out if taking back a later step fails: what the device did not give up stays taken. */
    void addIfGood(final Runnable step) {
        steps.push(cleanup -> cleanup.runIfGood(step));
    }

    /** Everything succeeded. */
    void forget() {
        steps.clear();
    }

    @Override
    public void close() {
        final Cleanup cleanup = new Cleanup();
        steps.forEach(step -> step.accept(cleanup));
        steps.clear();
        cleanup.throwIfFailed();
    }
}
