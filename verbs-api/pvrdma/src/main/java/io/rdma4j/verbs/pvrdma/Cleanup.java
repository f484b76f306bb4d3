/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

/** Runs steps that must all be run, whatever becomes of the others; the first failure is told at the end. */
final class Cleanup {
    private RuntimeException first;

    Cleanup run(final Runnable step) {
        try {
            step.run();
        } catch (final RuntimeException e) {
            if (first == null) {
                first = e;
            } else {
                first.addSuppressed(e);
            }
        }
        return this;
    }

    /**
     * Runs a step unless one before it failed: memory that the device did not give up may not be used again, and stays
     * taken until the device is closed.
     */
    Cleanup runIfGood(final Runnable step) {
        return first == null ? run(step) : this;
    }

    /** What came before, with what failed here as a consequence. */
    RuntimeException addTo(final RuntimeException cause) {
        if (first != null) {
            cause.addSuppressed(first);
        }
        return cause;
    }

    void throwIfFailed() {
        if (first != null) {
            throw first;
        }
    }
}
