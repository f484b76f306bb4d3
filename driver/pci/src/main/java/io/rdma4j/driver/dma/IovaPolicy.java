/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.dma;

/** How a domain picks the address at which the device sees memory. */
public enum IovaPolicy {
    /** From the allocator: never on purpose the virtual address. */
    ALLOCATED,
    /** The virtual address where that is usable and free, else from the allocator. */
    VIRTUAL_IF_FREE
}
