/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.jfr;

/** A registration or deregistration of memory that began. */
@FunctionalInterface
public interface MemorySpan {
    /**
     * It is over.
     *
     * @param device  which device; its {@code toString()} is used.
     * @param address where this process sees the first byte.
     * @param bytes   how many.
     * @param pages   how many pages they touch.
     * @param handle  the number of the region; -1 if there is none, since it failed.
     */
    void end(Object device, long address, long bytes, int pages, int handle);
}
