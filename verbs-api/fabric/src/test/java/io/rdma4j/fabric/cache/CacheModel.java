/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.cache;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** The rules of checklist 59, with rights and owners, as one would write them down: lists, and no concurrency. */
final class CacheModel {
    final List<Item> items = new ArrayList<>();
    private final long maxCount;
    private final long maxBytes;
    private long now;

    /** An entry of the model, and the one that the cache has for it. */
    static final class Item {
        final Range range;
        final Object owner;
        final int access;
        int uses = 1;
        long idleSince;
        boolean kept = true;
        Entry entry;

        Item(final Range range, final Object owner, final int access) {
            this.range = range;
            this.owner = owner;
            this.access = access;
        }

        boolean contains(final Range other) {
            return range.start() <= other.start() && range.end() >= other.end();
        }

        @Override
        public String toString() {
            return range + " owner " + owner + " access " + access + " uses " + uses + (kept ? "" : " not kept");
        }
    }

    CacheModel(final long maxCount, final long maxBytes) {
        this.maxCount = maxCount;
        this.maxBytes = maxBytes;
    }

    /** What may serve: one of these is taken; if there is none, something new is registered. */
    List<Item> candidates(final Range range, final Object owner, final int access) {
        return items.stream().filter(item -> item.contains(range) && item.owner == owner
            && (access & ~item.access) == 0).toList();
    }

    /** What a miss leaves. */
    Item miss(final Range asked, final Object owner, final int access) {
        final Range range = items.stream().filter(item -> item.contains(asked) && item.owner == owner)
            .map(item -> item.range)
            .max(Comparator.comparingLong(Range::length).thenComparingLong(Range::start)).orElse(asked);
        if (owner != null) {
            items.removeIf(item -> item.owner != null && item.owner != owner && item.range.overlaps(range)
                && drop(item));
        }
        if (!makeRoom(range)) {
            final Item once = new Item(range, owner, access);
            once.kept = false;
            return once;
        }
        int rights = access;
        for (final Item item : items) {
            if (item.owner == owner && item.range.overlaps(range) && !item.range.isStaggeredWith(range)) {
                rights |= item.access;
            }
        }
        items.removeIf(item -> item.range.overlaps(range) && !item.range.isStaggeredWith(range) && drop(item));
        final Item item = new Item(range, owner, rights);
        items.add(item);
        return item;
    }

    private static boolean drop(final Item item) {
        item.kept = false;
        return true;
    }

    private boolean makeRoom(final Range range) {
        if (range.length() > maxBytes) {
            return false;
        }
        while (items.size() >= maxCount || bytes() > maxBytes - range.length()) {
            final Item oldest = items.stream().filter(item -> item.uses == 0)
                .min(Comparator.comparingLong(item -> item.idleSince)).orElse(null);
            if (oldest == null) {
                return false;
            }
            drop(oldest);
            items.remove(oldest);
        }
        return true;
    }

    void release(final Item item) {
        item.uses--;
        if (item.uses == 0) {
            item.idleSince = ++now;
        }
    }

    void change(final Range range) {
        items.removeIf(item -> item.range.overlaps(range) && drop(item));
    }

    void flush() {
        items.removeIf(item -> item.uses == 0 && drop(item));
    }

    long bytes() {
        return items.stream().mapToLong(item -> item.range.length()).sum();
    }
}
