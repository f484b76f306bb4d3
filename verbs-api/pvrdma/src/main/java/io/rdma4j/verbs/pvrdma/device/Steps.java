/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma.device;

import io.rdma4j.base.Cleanup;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * Named steps, each with its undo. A failing step undoes those before it; undoing runs in reverse, and runs to its
 * end.
 */
final class Steps {
    private record Step(String name, Runnable action, Runnable undo) {
    }

    private final List<Step> steps = new ArrayList<>();
    private final Deque<Step> done = new ArrayDeque<>();

    Steps add(final String name, final Runnable action, final Runnable undo) {
        steps.add(new Step(name, action, undo));
        return this;
    }

    Steps add(final String name, final Runnable action) {
        return add(name, action, () -> { });
    }

    List<String> names() {
        return steps.stream().map(Step::name).toList();
    }

    /** Runs all steps. */
    void run() {
        for (final Step step : steps) {
            try {
                step.action.run();
                done.push(step);
            } catch (final RuntimeException | Error e) {
                undo().addTo(e);
                throw e;
            }
        }
    }

    /** Undoes what was done, all of it; gives back what went wrong. */
    Cleanup undo() {
        final Cleanup cleanup = new Cleanup();
        while (!done.isEmpty()) {
            cleanup.run(done.pop().undo);
        }
        return cleanup;
    }
}
