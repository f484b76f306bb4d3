/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import io.rdma4j.RdmaException;
import io.rdma4j.driver.memory.BufferOwners;
import io.rdma4j.driver.memory.Presence;
import io.rdma4j.driver.pci.DmaDomain;
import io.rdma4j.verbs.pvrdma.device.PvrdmaDevice;
import io.rdma4j.verbs.pvrdma.device.RegionPages;
import io.rdma4j.verbs.spi.Errors;
import io.rdma4j.verbs.spi.RegionChecks;
import io.rdma4j.verbs.spi.RegionOwner;
import org.agrona.DirectBuffer;

import java.nio.ByteBuffer;
import java.util.Collection;

/** Where the bytes of a region are, and what keeps them there. Immutable. */
interface RegionSource {
    /** Where this process sees the first byte. */
    long firstByte();

    /** What keeps the memory mapped: each once, none null. */
    Collection<Object> owners();

    /**
     * Looks whether there are so many bytes that can be read and, if they shall be, written.
     *
     * @throws io.rdma4j.RdmaException that says which not.
     */
    void check(String operation, PvrdmaContext context, long length, boolean write);

    /** Makes them reachable for the device. */
    RegionPages map(PvrdmaDevice device, long length);

    /** Whether it is addresses that count, and not the pages which are there now. */
    boolean onDemand();

    /** The same bytes, mapped in the other way if they shall be on demand now, or are so no more. */
    RegionSource with(boolean demand);

    /**
     * Makes the device reach the pages that are there now.
     *
     * @param pages what {@link #map} gave.
     * @param from  first byte.
     * @param bytes above 0, all in these pages.
     * @param write whether the device must be able to write there.
     */
    default void refresh(final RegionPages pages, final long from, final long bytes, final boolean write) {
        if (!onDemand()) {
            pages.refresh(from, bytes, write);
            return;
        }
        final long first = from & -DmaDomain.PAGE_SIZE;
        final long last = from + bytes + DmaDomain.PAGE_SIZE - 1 & -DmaDomain.PAGE_SIZE;
        final String missing = Presence.firstMissing(first, last - first, write);
        if (missing != null) {
            throw RdmaException.of(RegionChecks.REFRESH).detail("%s", missing).errno(RdmaException.EFAULT)
                .hint("map it before a transfer touches it").build();
        }
    }

    /** Whether a part of memory is surely mapped, and writable. */
    static boolean isKnown(final Object owner, final long address, final long length) {
        final boolean sure = owner instanceof PvrdmaMemory
            || owner instanceof ByteBuffer && !((ByteBuffer) owner).isReadOnly();
        final long owned = RegionChecks.ownedFrom(owner, address);
        return sure && owned != RegionChecks.UNKNOWN && length <= owned;
    }

    /**
     * Refuses what the driver keeps rings and page directories in: it is mapped for the device like other memory, and a
     * peer with a key to it could write work requests (checklist 104).
     */
    static void requireForeign(
        final String operation, final PvrdmaContext context, final long address, final long length) {
        if (context.device.arena().holds(address, length)) {
            throw Errors.error(RdmaException.EFAULT, operation, context,
                "0x%x+%d reaches into the driver's own memory for rings and page directories", address, length);
        }
    }

    /**
     * What keeps the memory mapped for the device, and is held by the mapping, which may serve other regions and
     * outlive this one: a buffer, whose memory stays as long as somebody holds it; a {@link RegionOwner}, which is told
     * when the region is closed. Of memory with another owner, or none, or beside its owner's, nobody knows how long it
     * stays.
     */
    static Object mappedFor(final Object owner, final long address, final long length) {
        if (owner instanceof RegionOwner) {
            return owner;
        }
        final Object buffer = owner instanceof DirectBuffer ? ((DirectBuffer) owner).byteBuffer() : owner;
        return buffer instanceof ByteBuffer && BufferOwners.rootOf(buffer) != null
            && RegionChecks.holds(buffer, address, length) ? buffer : null;
    }
}
