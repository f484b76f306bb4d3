/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.region;

import io.rdma4j.base.Cleanup;
import io.rdma4j.base.Undo;
import io.rdma4j.verbs.PinnedMemory;
import io.rdma4j.verbs.RdmaContext;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

import org.agrona.concurrent.UnsafeBuffer;

/**
 * Memory for event cells: 8 bytes each, from pages of the device. A place is used again only when its region is closed:
 * until then a peer could still add to it. Thread-safe.
 */
final class EventCells {
    private static final int PAGE = 4096;

    private final RdmaContext context;
    private final List<PinnedMemory> pages = new ArrayList<>();
    private final ArrayDeque<Place> free = new ArrayDeque<>();

    /** 8 bytes. */
    record Place(UnsafeBuffer buffer, long address, PinnedMemory page) {
    }

    EventCells(final RdmaContext context) {
        this.context = context;
    }

    /** The cell of a region; null if it is not counted. The realm is given back if there is no memory for it. */
    EventCell cellOf(final RegionPlan plan, final Realm realm) {
        try (Undo undo = new Undo()) {
            undo.add(realm::release);
            final EventCell cell = plan.isCounted() ? new EventCell(this) : null;
            undo.forget();
            return cell;
        }
    }

    Place take() {
        Place place = poll();
        while (place == null) {
            // Allocated without the lock; two threads may add a page each, and use both.
            add(context.allocate(PAGE));
            place = poll();
        }
        place.buffer.putLongVolatile(0, 0);
        return place;
    }

    private synchronized Place poll() {
        return free.poll();
    }

    private synchronized void add(final PinnedMemory page) {
        pages.add(page);
        for (int offset = 0; offset < PAGE; offset += Long.BYTES) {
            free.add(new Place(page.buffer(offset, Long.BYTES), page.address() + offset, page));
        }
    }

    synchronized void giveBack(final Place place) {
        free.addLast(place);
    }

    synchronized void close() {
        Cleanup.all(pages, PinnedMemory::close);
    }
}
