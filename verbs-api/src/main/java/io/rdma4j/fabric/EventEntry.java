/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric;

/** An event (fi_eq_entry, fi_eq_err_entry). Immutable. */
public interface EventEntry {
    /**
     * What happened.
     *
     * @return the kind.
     */
    FabricEvent event();

    /**
     * The region that an event is about.
     *
     * @return the object that {@link Domain#register(MrAttributes)} returned or will return; null for other events.
     */
    MemoryRegion region();

    /**
     * The context that was given with the operation.
     *
     * @return may be null.
     */
    Object context();

    /**
     * Whether the operation failed.
     *
     * @return true if so.
     */
    boolean isError();

    /**
     * How it failed.
     *
     * @return a number of {@link FiErrno}, positive; 0 if it did not.
     */
    int errno();

    /**
     * What went wrong.
     *
     * @return one sentence; empty without a failure.
     */
    String providerError();
}
