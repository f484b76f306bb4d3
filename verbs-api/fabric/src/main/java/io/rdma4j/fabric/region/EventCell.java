/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.region;

import io.rdma4j.fabric.cache.RegionRoom;
import io.rdma4j.fabric.event.CountSource;
import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.MrOptions;

/**
 * Counts what peers write to one region: 8 bytes to which each peer adds by an atomic, behind its write and on the same
 * way. A region of its own, so that who may write there can reach no other cell.
 */
final class EventCell implements CountSource {
    private final EventCells cells;
    private final EventCells.Place place;
    private volatile MemoryRegion region;

    EventCell(final EventCells cells) {
        this.cells = cells;
        place = cells.take();
    }

    /** Lets peers of a realm add to it. */
    void open(final Realm realm) {
        region = RegionRoom.register(realm.pd(), new MrOptions().memory(place.address(), Long.BYTES, place.page())
            .access(AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_ATOMIC));
    }

    /** Lets nobody add to it; the count stays. */
    void hide() {
        final MemoryRegion last = region;
        region = null;
        if (last != null) {
            last.close();
        }
    }

    /** What peers add to; null if they cannot. To be asked once, as another thread may hide it meanwhile. */
    MemoryRegion region() {
        return region;
    }

    @Override
    public long count() {
        // Volatile: the device's atomic came after the write that it counts.
        return place.buffer().getLongVolatile(0);
    }

    void close() {
        hide();
        cells.giveBack(place);
    }
}
