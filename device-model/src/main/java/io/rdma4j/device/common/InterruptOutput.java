/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.common;

/**
 * Where the interrupts of a function go that is plugged into another machine than this process. Called by any thread,
 * with locks of the device held: it does what takes no time, and never throws.
 */
public interface InterruptOutput {
    /** To nobody. */
    InterruptOutput NONE = new InterruptOutput() {
        @Override
        public void message(int vector) {
            // Nobody is there.
        }

        @Override
        public void line() {
            // Nobody is there.
        }

        @Override
        public void attention() {
            // Whoever waits for a vector is woken besides.
        }
    };

    /**
     * A vector fires.
     *
     * @param vector from 0.
     */
    void message(int vector);

    /** The interrupt line may be asserted now. */
    void line();

    /** The device wants to be looked after: earlier than it said, or in a time that is known only now. */
    void attention();

    /** A driver begins, or the device was reset: what was told before, and has not gone out, is not to go out. */
    default void forget() {
        // Nothing is kept.
    }

    /**
     * {@return whether a thread does so when {@link #attention} asks for it, and whatever a device has to do of itself
     * is left to that one}
     */
    default boolean isLookedAfter() {
        return false;
    }
}
