/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.cache;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Which entries there are, which go, and what is being registered: the rules of checklist 59. Lookups read the index
 * without a lock. Everything else here is short and under its own lock, which is never held while memory is
 * registered, deregistered or allocated by the device, nor while a monitor is called: what is to be closed is given to
 * the caller.
 */
final class CacheEntries {
    /** So many entries of pinned memory are looked at for each one that comes. */
    private static final int SWEPT = 16;

    final EntryIndex index = new EntryIndex();
    final IdleQueue idle = new IdleQueue();

    private final long maxCount;
    private final long maxBytes;
    private final Counters counters;
    private final Set<Claim> claims = new HashSet<>();
    private final List<Entry> found = new ArrayList<>();
    /** Entries of pinned memory, which may be closed while they are idle; some of them are retired. */
    private final Deque<Entry> pinned = new ArrayDeque<>();
    private volatile long count;
    private volatile long bytes;
    /** Hits of entries that are gone. */
    private volatile long pastHits;
    private boolean closed;

    CacheEntries(final long maxCount, final long maxBytes, final Counters counters) {
        this.maxCount = maxCount;
        this.maxBytes = maxBytes;
        this.counters = counters;
    }

    /** Looks once more, as a lookup without the lock may have missed what came just now. */
    synchronized Entry take(final Claim claim) {
        return index.take(claim.range.start(), claim.range.length(), claim.access, claim.root, EntryCheck.ASKED);
    }

    /** The range of an entry of the same owner in which a claim lies; else its own. */
    synchronized Range widest(final Claim claim) {
        Range widest = claim.range;
        for (final Entry entry : overlapping(claim.range)) {
            final boolean contains = entry.start <= claim.range.start() && entry.end >= claim.range.end();
            if (contains && entry.isOf(claim.root) && entry.length() > widest.length()) {
                widest = entry.range();
            }
        }
        return widest;
    }

    /** From now on the claim learns of changes. What belongs to owners that are gone is retired, by whole pages. */
    synchronized void begin(final Claim claim) {
        claims.add(claim);
        sweep(claim.toClose);
        for (final Entry entry : overlapping(claim.range.wholePages())) {
            if (entry.isOwnerGone()) {
                counters.invalidations.increment();
                retire(entry, claim.toClose);
            }
        }
    }

    /** Pinned memory that was closed is given back only with the last region of it, so these must not wait. */
    private void sweep(final List<Entry> toClose) {
        for (int left = Math.min(SWEPT, pinned.size()); left > 0; left--) {
            final Entry entry = pinned.poll();
            if (!entry.isRetired() && entry.isOwnerGone()) {
                counters.invalidations.increment();
                retire(entry, toClose);
            } else if (!entry.isRetired()) {
                pinned.add(entry);
            }
        }
    }

    synchronized void end(final Claim claim) {
        claims.remove(claim);
    }

    /**
     * Makes room before registering: what is idle longest goes, until the range fits.
     *
     * @return whether it will fit.
     */
    synchronized boolean makeRoom(final Claim claim) {
        for (final Entry entry : overlapping(claim.range)) {
            if (entry.hasOwner() && claim.root != null && !entry.isOf(claim.root)) {
                // The memory is another's now.
                counters.replacements.increment();
                retire(entry, claim.toClose);
            }
        }
        return evictFor(claim, claim.range.length());
    }

    private boolean evictFor(final Claim claim, final long length) {
        if (closed || length > maxBytes) {
            return false;
        }
        while (count >= maxCount || bytes > maxBytes - length) {
            if (!evictOne(claim.toClose)) {
                return false;
            }
        }
        return true;
    }

    private boolean evictOne(final List<Entry> toClose) {
        final Entry oldest = idle.evictOldest();
        if (oldest == null) {
            return false;
        }
        counters.evictions.increment();
        unlist(oldest);
        toClose.add(oldest);
        return true;
    }

    /** Retires so many that are idle, those first that are so longest. */
    synchronized List<Entry> evict(final long most) {
        final List<Entry> toClose = new ArrayList<>();
        boolean more = true;
        while (more && toClose.size() < most) {
            more = evictOne(toClose);
        }
        return toClose;
    }

    /** The rights of what a new entry will replace: with them it can serve who used those. */
    synchronized int rightsOfReplaced(final Claim claim) {
        int rights = 0;
        for (final Entry entry : overlapping(claim.range)) {
            if (!entry.range().isStaggeredWith(claim.range) && entry.isOf(claim.root)) {
                rights |= entry.access();
            }
        }
        return rights;
    }

    /** What became of a registration. */
    enum Outcome { KEPT, CHANGED, OVERTAKEN, NO_ROOM }

    /**
     * Makes an entry known, which is in use by the caller.
     *
     * @return CHANGED if its memory did meanwhile; OVERTAKEN if another thread's can be used, which is the claim's
     *         winner now, in use; NO_ROOM if everything else is in use, too, or the cache is closed.
     */
    synchronized Outcome publish(final Claim claim, final Entry entry, final long now) {
        if (claim.isChanged()) {
            return Outcome.CHANGED;
        }
        claim.winner = take(claim);
        if (claim.winner != null) {
            return Outcome.OVERTAKEN;
        }
        for (final Entry other : overlapping(claim.range)) {
            if (!other.range().isStaggeredWith(claim.range)) {
                counters.replacements.increment();
                retire(other, claim.toClose);
            }
        }
        if (!evictFor(claim, entry.length())) {
            return Outcome.NO_ROOM;
        }
        claims.remove(claim);
        entry.listed(now);
        index.add(entry);
        idle.add(entry);
        if (entry.isPinned()) {
            pinned.add(entry);
        }
        count++;
        bytes += entry.length();
        return Outcome.KEPT;
    }

    /** Memory changed: every entry that has a byte of it goes, and registrations of it under way are not kept. */
    synchronized List<Entry> change(final Range range) {
        final List<Entry> toClose = new ArrayList<>();
        for (final Entry entry : overlapping(range)) {
            counters.invalidations.increment();
            retire(entry, toClose);
        }
        for (final Claim claim : claims) {
            if (claim.range.overlaps(range)) {
                claim.change();
            }
        }
        return toClose;
    }

    /** Memory has a new owner: what those who named none took for an earlier one's goes. */
    synchronized List<Entry> adopted(final Range range, final Object root) {
        final List<Entry> toClose = new ArrayList<>();
        for (final Entry entry : overlapping(range)) {
            if (entry.isAdopted() && !entry.isOf(root)) {
                counters.replacements.increment();
                retire(entry, toClose);
            }
        }
        for (final Claim claim : claims) {
            if (claim.isAdopted && claim.root != root && claim.range.overlaps(range)) {
                claim.change();
            }
        }
        return toClose;
    }

    /** One entry goes, if it is still here, as its owner is gone. */
    synchronized List<Entry> drop(final Entry entry) {
        final List<Entry> toClose = new ArrayList<>();
        if (!entry.isRetired()) {
            counters.invalidations.increment();
            retire(entry, toClose);
        }
        return toClose;
    }

    /**
     * All entries go, and no other comes.
     *
     * @param inUse gets those that their last users close.
     */
    synchronized List<Entry> close(final List<Entry> inUse) {
        closed = true;
        final List<Entry> toClose = new ArrayList<>();
        found.clear();
        index.all(found);
        for (final Entry entry : List.copyOf(found)) {
            final int before = toClose.size();
            retire(entry, toClose);
            if (toClose.size() == before) {
                inUse.add(entry);
            }
        }
        return toClose;
    }

    private List<Entry> overlapping(final Range range) {
        found.clear();
        index.overlapping(range, found);
        return found;
    }

    private void retire(final Entry entry, final List<Entry> toClose) {
        final boolean isOurs = entry.retire();
        idle.remove(entry);
        unlist(entry);
        if (isOurs) {
            toClose.add(entry);
        }
    }

    private void unlist(final Entry entry) {
        if (index.remove(entry)) {
            count--;
            bytes -= entry.length();
            pastHits += entry.takes();
            entry.tellAll();
        }
    }

    long count() {
        return count;
    }

    long bytes() {
        return bytes;
    }

    /** Takes of all entries so far. */
    long hits() {
        long hits = pastHits;
        for (final Entry entry : all()) {
            hits += entry.takes();
        }
        return hits;
    }

    long inUse() {
        return all().stream().filter(entry -> !entry.isIdle()).count();
    }

    List<Entry> all() {
        final List<Entry> all = new ArrayList<>();
        index.all(all);
        return all;
    }
}
