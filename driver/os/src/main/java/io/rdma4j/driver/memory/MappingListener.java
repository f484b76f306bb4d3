/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.driver.memory;

/**
 * Is told that watched memory is not what it was. Called on the thread that delivers, at most once for each
 * {@link MappingGuard}, and while it runs {@link MappingWatch#quiet()} is false: whoever looks something up meanwhile
 * misses or waits.
 *
 * <p>It has to be short: drop what is remembered, and leave the rest, such as deregistering, to another thread. It may
 * wait for a lock; the threads that change the address space do not wait for it, only lookups do. It may call
 * {@link MappingWatch#watch} and {@link MappingGuard#close}, but not {@link MappingWatch#close}. What it throws is
 * logged and dropped.
 */
@FunctionalInterface
public interface MappingListener {
    /**
     * Part of a guarded range was unmapped, moved, replaced or emptied. The guard is no longer
     * {@link MappingGuard#intact()} and need not be closed, though it may be.
     *
     * @param guard the guard
     * @param from  address of the first byte that changed and that the guard covers
     * @param to    address after the last
     */
    void changed(MappingGuard guard, long from, long to);
}
