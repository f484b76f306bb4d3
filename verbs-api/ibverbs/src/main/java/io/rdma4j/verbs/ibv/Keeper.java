/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.ibv;

import io.rdma4j.verbs.spi.RegionOwner;

/** What keeps registered memory mapped, for all regions that have that memory. Thread-safe. */
final class Keeper {
    final Object owner;
    private int regions;

    /** Null for memory that nobody keeps. */
    Keeper(final Object owner) {
        this.owner = owner;
    }

    /** One more region has the memory. */
    synchronized void enter(final String operation, final IbvMr region) {
        if (owner instanceof IbvMemory) {
            ((IbvMemory) owner).attach(operation, region);
        }
        regions++;
    }

    /** It could not be registered. */
    synchronized void abandon(final IbvMr region) {
        if (owner instanceof IbvMemory) {
            ((IbvMemory) owner).detach(region);
        }
        regions--;
    }

    /** The region does not have the memory any more: with the last one its owner is told so. */
    synchronized void leave(final IbvMr region) {
        abandon(region);
        if (regions == 0 && owner instanceof RegionOwner) {
            ((RegionOwner) owner).regionClosed();
        }
    }

    @Override
    public String toString() {
        return String.valueOf(owner);
    }
}
