/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.base;

import java.util.Collection;
import java.util.function.Consumer;

/** Runs steps that must all be run, whatever becomes of the others; the first failure is told at the end. */
public final class Cleanup {
    private Throwable first;

    /** Nothing has failed yet. */
    public Cleanup() {
        // The first failure comes with a step.
    }

    /**
     * Does something with each of several things, mostly closing them.
     *
     * @param things all of them.
     * @param close  what is done.
     * @param <T>    their type.
     * @throws RuntimeException the first failure, with others suppressed.
     */
    public static <T> void all(final Collection<T> things, final Consumer<T> close) {
        final Cleanup cleanup = new Cleanup();
        things.forEach(thing -> cleanup.run(() -> close.accept(thing)));
        cleanup.throwIfFailed();
    }

    /**
     * Runs a step.
     *
     * @param step may fail, with an Error, too.
     * @return this.
     */
    public Cleanup run(final Runnable step) {
        try {
            step.run();
        } catch (final RuntimeException | Error e) {
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
     *
     * @param step may fail.
     * @return this.
     */
    public Cleanup runIfGood(final Runnable step) {
        return first == null ? run(step) : this;
    }

    /**
     * What came before, with what failed here as a consequence.
     *
     * @param cause what came before.
     * @param <T>   its type.
     * @return the cause.
     */
    public <T extends Throwable> T addTo(final T cause) {
        if (first != null) {
            cause.addSuppressed(first);
        }
        return cause;
    }

    /**
     * Whether a step failed.
     *
     * @return false if all went well so far.
     */
    public boolean hasFailed() {
        return first != null;
    }

    /**
     * To be called after the last step.
     *
     * @throws RuntimeException the first failure, or the Error that it was; the others are suppressed in it.
     */
    public void throwIfFailed() {
        if (first instanceof Error) {
            throw (Error) first;
        }
        if (first != null) {
            throw (RuntimeException) first;
        }
    }
}
