/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.pci;

/**
 * One MSI-X vector. Firings are counted and never lost: one that came before the wait ends the wait at once. At most
 * one thread waits on a vector at a time.
 */
public interface InterruptVector {
    /**
     * Which vector this is.
     *
     * @return from 0.
     */
    int index();

    /**
     * Takes the firings since the last call, without waiting.
     *
     * @return their number, 0 if there were none.
     */
    long poll();

    /**
     * Waits until the vector fired, then takes the firings since the last call.
     *
     * @param timeoutNanos longest wait in nanoseconds; 0 or less: do not wait.
     * @return their number; 0 if the time passed, the thread was interrupted (its flag stays set) or the vectors were
     *         disabled meanwhile.
     */
    long await(long timeoutNanos);

    /**
     * All firings since the vectors were enabled. Thread-safe.
     *
     * @return a count that only grows.
     */
    long fired();
}
