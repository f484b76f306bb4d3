/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.av;

import io.rdma4j.fabric.EndpointType;

/** Finds device addresses by asking others, within a deadline. Thread-safe; an interrupt ends what is under way. */
interface AddressResolver {
    /**
     * Until when a call that begins now may ask.
     *
     * @return a time of System.nanoTime.
     * @throws io.rdma4j.fabric.FabricException FI_EINVAL if what is configured is no time.
     */
    long deadline();

    /**
     * Fills in the device addresses of entries that have no problem yet.
     *
     * @param entries  what was inserted.
     * @param problems null where there is none so far; filled in where there is one.
     * @param count    how many.
     * @param deadline of the call that they belong to, from {@link #deadline}.
     */
    void resolve(AvEntry[] entries, Problem[] problems, int count, long deadline);

    /** One address by its names. Never fails: what is wrong is wrong with the address. */
    Source service(String node, String service);

    /**
     * Ranges.
     *
     * @throws io.rdma4j.fabric.FabricException FI_EINVAL for what cannot be counted.
     */
    Source symmetric(String node, int nodeCount, String service, int serviceCount);

    /** Kind of endpoints that addresses must be of; MSG or null for any. */
    EndpointType kind();
}
