/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import io.rdma4j.base.Cleanup;
import io.rdma4j.base.Undo;
import io.rdma4j.verbs.PinnedMemory;
import io.rdma4j.verbs.spi.Errors;
import io.rdma4j.verbs.spi.RegionOwner;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/**
 * What keeps registered memory mapped, held until nobody needs it: pinned memory stays open, buffers are not collected,
 * and who wants to be told is. Called by one thread at a time.
 */
final class MemoryOwners {
    private volatile List<Object> held;
    private final Object holder;

    /**
     * Holds.
     *
     * @param owners each once, none null.
     * @param holder named by pinned memory that somebody wants to close; its {@code toString()} is used.
     * @throws io.rdma4j.RdmaException EINVAL for pinned memory of another device, EBADFD if it is closed; then nothing
     *                                 is held.
     */
    MemoryOwners(
        final PvrdmaContext context, final String operation, final Collection<Object> owners, final Object holder) {
        this.holder = holder;
        this.held = new ArrayList<>();
        try (Undo undo = new Undo()) {
            undo.add(this::abandon);
            for (final Object owner : owners) {
                attach(context, operation, owner);
                held.add(owner);
            }
            undo.forget();
        }
    }

    private void attach(final PvrdmaContext context, final String operation, final Object owner) {
        if (owner instanceof PinnedMemory) {
            if (!(owner instanceof PvrdmaMemory) || ((PvrdmaMemory) owner).context != context) {
                throw Errors.invalid(operation, context, "%s belongs to another device", owner);
            }
            ((PvrdmaMemory) owner).attach(operation, holder);
        }
    }

    /** The memory was registered and is not any more. */
    void letGo() {
        final List<Object> last = held;
        abandon();
        final Cleanup cleanup = new Cleanup();
        for (final Object owner : last) {
            if (owner instanceof RegionOwner) {
                cleanup.run(((RegionOwner) owner)::regionClosed);
            }
        }
        cleanup.throwIfFailed();
    }

    /** The memory was never registered: nobody is told. */
    void abandon() {
        final List<Object> last = held;
        held = List.of();
        for (final Object owner : last) {
            if (owner instanceof PvrdmaMemory) {
                ((PvrdmaMemory) owner).detach(holder);
            }
        }
    }
}
