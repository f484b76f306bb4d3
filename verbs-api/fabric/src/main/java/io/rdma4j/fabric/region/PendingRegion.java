/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.region;

import io.rdma4j.fabric.MemoryRegion;

/** A region that has its place in the domain, and is registered at once or by the domain's thread. */
interface PendingRegion extends MemoryRegion {
    /**
     * Registers it with the device, once.
     *
     * @throws io.rdma4j.fabric.FabricException why it could not be: all that it took is given back.
     */
    void activate();

    /** It will not be registered: gives back what it took. */
    void cancel();

    /** Who registers it later; its end comes before a close goes on. */
    void setPending(Registration registration);
}
