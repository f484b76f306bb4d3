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
import java.util.IdentityHashMap;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * What keeps registered memory mapped, held until nobody needs it: pinned memory stays open, buffers are not collected,
 * and who wants to be told is. A region that changes can have an owner before and after: it is told once, when nothing
 * that this region had or has needs it any more. Called by one thread at a time.
 */
final class MemoryOwners {
    /** Each owner, with how many hold it: this one, and those of what the region was before or is afterwards. */
    private volatile IdentityHashMap<Object, AtomicInteger> held;
    private final Object holder;

    /**
     * Holds.
     *
     * @param owners   each once, none null.
     * @param holder   named by pinned memory that somebody wants to close; its {@code toString()} is used.
     * @param previous holds what the region is until now, longer than this constructor runs; null for a new region.
     * @throws io.rdma4j.RdmaException EINVAL for pinned memory of another device, EBADFD if it is closed; then nothing
     *                                 is held.
     */
    MemoryOwners(
        final PvrdmaContext context, final String operation, final Collection<Object> owners, final Object holder,
        final MemoryOwners previous) {
        this.holder = holder;
        this.held = new IdentityHashMap<>();
        try (Undo undo = new Undo()) {
            undo.add(this::abandon);
            for (final Object owner : owners) {
                attach(context, operation, owner);
                final AtomicInteger others = previous == null ? null : previous.held.get(owner);
                final AtomicInteger holders = others == null ? new AtomicInteger() : others;
                holders.incrementAndGet();
                held.put(owner, holders);
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
        final Cleanup cleanup = new Cleanup();
        for (final Object owner : release()) {
            if (owner instanceof RegionOwner) {
                cleanup.run(((RegionOwner) owner)::regionClosed);
            }
        }
        cleanup.throwIfFailed();
    }

    /** The memory was never registered: nobody is told. */
    void abandon() {
        release();
    }

    /** Returns the owners that nobody holds any more. */
    private List<Object> release() {
        final IdentityHashMap<Object, AtomicInteger> last = held;
        held = new IdentityHashMap<>(0);
        final List<Object> free = new ArrayList<>();
        last.forEach((owner, holders) -> {
            if (owner instanceof PvrdmaMemory) {
                ((PvrdmaMemory) owner).detach(holder);
            }
            if (holders.decrementAndGet() == 0) {
                free.add(owner);
            }
        });
        return free;
    }
}
