/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.driver.vfio;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * What is to be undone, last first. All of it is run, also when a part fails; the first failure is thrown, the others
 * are suppressed in it. Not thread-safe.
 */
final class Undo {
    private static final System.Logger LOG = System.getLogger(Undo.class.getName());

    private final Deque<Runnable> steps = new ArrayDeque<>();

    /** Adds a step, to be run before all that were added earlier. */
    void add(final Runnable step) {
        steps.push(step);
    }

    /** Runs the steps and forgets them. */
    void run() {
        final RuntimeException failure = runAll();
        if (failure != null) {
            throw failure;
        }
    }

    /** Runs the steps while another failure is under way, which must not be hidden by one of theirs. */
    void quietly() {
        final RuntimeException failure = runAll();
        if (failure != null) {
            LOG.log(System.Logger.Level.WARNING, "cleaning up after a failure failed as well", failure);
        }
    }

    private RuntimeException runAll() {
        boolean orderly = false;
        try {
            final RuntimeException first = runEach();
            orderly = true;
            return first;
        } finally {
            if (!orderly) {
                // An Error is under way: the steps that are left are run all the same.
                quietly();
            }
        }
    }

    private RuntimeException runEach() {
        RuntimeException first = null;
        while (!steps.isEmpty()) {
            try {
                steps.pop().run();
            } catch (final RuntimeException e) {
                if (first == null) {
                    first = e;
                } else {
                    first.addSuppressed(e);
                }
            }
        }
        return first;
    }
}
