/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.driver.memory;

import io.rdma4j.RdmaException;
import io.rdma4j.base.Undo;
import io.rdma4j.driver.libc.AddressSpace;
import io.rdma4j.driver.libc.LibcConstants;
import io.rdma4j.driver.libc.MappedMemory;

/**
 * The pages of shared mappings, mapped once more. They stay where this is, whatever becomes of the mappings they were
 * taken from: unmapped, mapped over, protected. To cut off the file behind them, or to punch a hole into it, hits both.
 */
final class SecondMapping implements AutoCloseable {
    private final MappedMemory place;

    private SecondMapping(final MappedMemory place) {
        this.place = place;
    }

    /**
     * Maps a range of shared memory again.
     *
     * @throws RdmaException if a part of it is not shared, or cannot be mapped twice
     */
    static SecondMapping of(final long address, final long length) {
        final SecondMapping made = new SecondMapping(reserve(length));
        try (Undo undo = new Undo()) {
            undo.add(made::close);
            made.take(address, length, made.address());
            undo.forget();
            return made;
        }
    }

    private static MappedMemory reserve(final long length) {
        return MappedMemory.map(0, length, LibcConstants.PROT_NONE,
            LibcConstants.MAP_PRIVATE | LibcConstants.MAP_ANONYMOUS | LibcConstants.MAP_NORESERVE, -1, 0);
    }

    long address() {
        return place.address();
    }

    /** Each mapping by itself: one call is for one. */
    private void take(final long from, final long length, final long to) {
        for (final MappingAreas.Area area : MappingAreas.covering(from, length)) {
            final long first = Math.max(from, area.from());
            final long last = Math.min(from + length, area.to());
            AddressSpace.mapAgain(first, last - first, to + (first - from));
        }
    }

    /**
     * Takes what is behind a part of the range now. An access meanwhile finds the old pages or the new ones: each
     * mapping is replaced in one step.
     *
     * @param offset of the part in the range
     * @param from   where its memory is now
     * @param length bytes
     * @throws RdmaException as {@link #of}; parts before the one that failed may be new
     */
    void renew(final long offset, final long from, final long length) {
        // Tried elsewhere first: what fails half-way would leave a gap here.
        try (SecondMapping trial = of(from, length)) {
            take(trial.address(), length, address() + offset);
        }
    }

    @Override
    public void close() {
        place.close();
    }

    @Override
    public String toString() {
        return place.toString();
    }
}
