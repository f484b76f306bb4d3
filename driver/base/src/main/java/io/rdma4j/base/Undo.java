/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.base;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Consumer;

/**
 * Takes back what was done so far, last things first, unless everything succeeded:
 *
 * <pre>
 *   try (Undo undo = new Undo()) {
 *       final Thing thing = open();
 *       undo.add(thing::close);
 *       ...
 *       undo.forget();
 *       return thing;
 *   }
 * </pre>
 *
 * <p>Not thread-safe.
 */
public final class Undo implements AutoCloseable {
    private final Deque<Consumer<Cleanup>> steps = new ArrayDeque<>();

    /** Of nothing yet. */
    public Undo() {
        // Steps come one by one.
    }

    /**
     * Adds what takes the last step back.
     *
     * @param step is run before all that were added earlier.
     */
    public void add(final Runnable step) {
        steps.push(cleanup -> cleanup.run(step));
    }

    /**
     * The same, but to be left out if taking back a later step fails: what the device did not give up stays taken.
     *
     * @param step is run before all that were added earlier.
     */
    public void addIfGood(final Runnable step) {
        steps.push(cleanup -> cleanup.runIfGood(step));
    }

    /** Everything succeeded. */
    public void forget() {
        steps.clear();
    }

    /**
     * Runs all steps and forgets them.
     *
     * @throws RuntimeException the first failure, or the Error that it was; the others are suppressed in it.
     */
    @Override
    public void close() {
        final Cleanup cleanup = new Cleanup();
        while (!steps.isEmpty()) {
            steps.pop().accept(cleanup);
        }
        cleanup.throwIfFailed();
    }
}
