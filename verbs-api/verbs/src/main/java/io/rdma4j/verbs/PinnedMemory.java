/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs;

import org.agrona.concurrent.UnsafeBuffer;

/**
 * Page-aligned memory that a device can reach. It becomes usable in work requests by
 * {@link ProtectionDomain#register(PinnedMemory, AccessFlag...)}.
 *
 * <p>Closing gives it back for the device; who still holds a {@link #buffer} keeps the process' own mapping alive, so
 * that a late access cannot crash the JVM. Thread-safe as an object.
 */
public interface PinnedMemory extends AutoCloseable {
    /**
     * First byte, as work requests name it.
     *
     * @return a page-aligned virtual address.
     */
    long address();

    /**
     * Size.
     *
     * @return bytes, whole pages.
     */
    long length();

    /**
     * A view of a part.
     *
     * @param offset first byte, from 0.
     * @param length bytes.
     * @return a new buffer that keeps the memory alive.
     * @throws IndexOutOfBoundsException if the part is not inside.
     */
    UnsafeBuffer buffer(int offset, int length);

    /**
     * A view of all of it.
     *
     * @return a new buffer that keeps the memory alive.
     */
    UnsafeBuffer buffer();

    /**
     * Whether it was closed.
     *
     * @return true if so.
     */
    boolean isClosed();

    /**
     * Gives the memory back. Harmless when called again.
     *
     * @throws io.rdma4j.RdmaException EBUSY while regions are registered in it.
     */
    @Override
    void close();
}
