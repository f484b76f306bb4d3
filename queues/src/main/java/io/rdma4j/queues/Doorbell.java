/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.queues;

/**
 * The way to tell the device that there is work: a store to its UAR page.
 */
@FunctionalInterface
public interface Doorbell {
    /**
     * Does one 32-bit store. Everything that the calling thread stored before is visible to the device first.
     *
     * @param uarOffset byte offset in the UAR page: one of {@link io.rdma4j.hw.pvrdma.Uar}
     * @param word      handle and command bits
     */
    void ring(int uarOffset, int word);
}
