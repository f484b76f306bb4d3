/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.driver.libc;

import com.sun.jna.Native;

/** The malloc of this process. Thread-safe. */
public final class Malloc {
    private Malloc() {
    }

    /**
     * Allocates memory.
     *
     * @param bytes how much, above 0
     * @return its address, to be given to {@link #free}; 0 if there is none
     */
    public static long allocate(final long bytes) {
        Checks.that(bytes > 0, "malloc", "%d bytes", bytes);
        return Native.malloc(bytes);
    }

    /**
     * Gives memory back.
     *
     * @param address of {@link #allocate}, not given back before; 0 does nothing
     */
    public static void free(final long address) {
        Native.free(address);
    }
}
