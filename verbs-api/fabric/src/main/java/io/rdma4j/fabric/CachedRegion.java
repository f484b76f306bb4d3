/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric;

/** A region of a {@link RegistrationCache} that is in use. */
public interface CachedRegion {
    /**
     * The local key.
     *
     * @return as work requests have it.
     */
    int lkey();

    /**
     * The address by which the device knows a byte of it.
     *
     * @param address in this process, inside the region.
     * @return the address for work requests.
     */
    long deviceAddress(long address);

    /**
     * Ends the use. Exactly once per acquisition. Does not allocate; deregisters the memory if this is the last use of
     * a region that the cache does not keep.
     *
     * @throws FabricException FI_EINVAL if nobody uses it: it was released more often than acquired.
     */
    void release();
}
