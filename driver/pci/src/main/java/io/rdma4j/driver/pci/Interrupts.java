/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.pci;

/**
 * The message interrupts of a function (MSI-X, or MSI where there is only that), as something to wait on. Enabling and
 * disabling is control path, one thread at a time.
 */
public interface Interrupts {
    /**
     * How many vectors the function's MSI-X capability offers, or its MSI capability where it has no other.
     *
     * @return 0 if it has none.
     */
    int available();

    /**
     * Enables the first {@code count} vectors; fewer if the function or the platform has fewer.
     *
     * @param count vectors wanted, at least 1.
     * @return vectors granted, 0 if there are none.
     * @throws io.rdma4j.RdmaException if the platform refuses.
     */
    int enable(int count);

    /**
     * One enabled vector.
     *
     * @param index 0 to granted - 1.
     * @return the vector, the same object each time.
     * @throws IllegalArgumentException if the vector is not enabled.
     */
    InterruptVector vector(int index);

    /** Disables all vectors and wakes who waits. Harmless when called again. */
    void disable();
}
