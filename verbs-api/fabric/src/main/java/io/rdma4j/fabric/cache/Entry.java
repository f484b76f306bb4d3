/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.cache;

import io.rdma4j.RdmaException;
import io.rdma4j.fabric.CachedRegion;
import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.PinnedMemory;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.lang.ref.Cleaner;
import java.lang.ref.WeakReference;

/**
 * A region of the cache, or one that is used once and not kept. Its owner is held weakly while it is idle: that memory
 * may then be freed and used again while it is still registered, which does no harm, as a hit needs the same owner and
 * so can only come from somebody who still has it.
 */
final class Entry extends UseCount implements CachedRegion {
    private static final VarHandle PARKED;
    private static final VarHandle IDLE_SINCE;

    static {
        try {
            PARKED = MethodHandles.lookup().findVarHandle(Entry.class, "parked", boolean.class);
            IDLE_SINCE = MethodHandles.lookup().findVarHandle(Entry.class, "idleSince", long.class);
        } catch (final ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /**
     * Where it stands in the heap of {@link IdleQueue}; -1 if it does not. Guarded by {@link CacheEntries}, as the next
     * one.
     */
    int heapIndex = -1;
    /** What the heap is sorted by; {@link #idleSince} may be later. */
    long listedSince;
    /** The next of those that came back to {@link IdleQueue}. */
    Entry nextReturned;
    final long start;
    final long end;

    private final EntryOwner cache;
    private final MemoryRegion region;
    private final WeakReference<Object> owner;
    private final boolean isPinned;
    /** Whether this memory is known to be the owner's also to those who do not name one. */
    private final boolean isAdopted;
    /** Of addresses and not of pages: nothing of it can be stale. */
    private final boolean isOnDemand;
    private final int access;
    private final int lkey;
    private final long toDevice;
    /** Opaque: published by the release that follows, and only an order. */
    @SuppressWarnings("unused") // By a VarHandle.
    private long idleSince;
    /** Not in the heap, though it is cached: it was in use when room was needed. */
    private volatile boolean parked;
    private volatile Cleaner.Cleanable farewell;
    private volatile boolean subscribed;

    /** In use once; not found by anyone before it is in the index. */
    Entry(
        final EntryOwner cache, final MemoryRegion region, final Claim claim, final int access, final boolean kept) {
        super(claim.root, !kept);
        final Range range = claim.range;
        final Object root = claim.root;
        this.cache = cache;
        this.region = region;
        this.start = range.start();
        this.end = range.end();
        this.owner = root == null ? null : new WeakReference<>(root);
        this.isPinned = root instanceof PinnedMemory;
        this.isAdopted = claim.isAdopted;
        this.isOnDemand = claim.onDemand;
        this.access = access;
        this.lkey = region.lkey();
        this.toDevice = region.iova() - region.address();
    }

    /** What an entry tells its cache. */
    interface EntryOwner {
        /** The next number of an order in time. */
        long tick();

        /** It was taken so many times more. */
        void hits(long more);

        /** It was parked, and is idle now. */
        void returned(Entry entry);

        /** It is retired and nobody uses it. */
        void close(Entry entry);

        /** Its memory goes. */
        void ownerGone(Entry entry);
    }

    boolean allows(final int rights) {
        return (rights & ~access) == 0;
    }

    /**
     * Takes it for an owner, if it is this one and still has its memory; or for none. Without an owner the check is
     * asked first: then every change that had happened was told, and if this is of one, it is retired and not taken.
     * What is on demand needs neither. Pinned memory that was adopted is its own, whoever is named: its buffers have
     * another root.
     */
    boolean takeFor(final Object root, final EntryCheck check) {
        if (owner == null) {
            return root == null && (isOnDemand || check.isQuiet()) && take(null);
        }
        final Object named = isAdopted && (root == null || isPinned) ? owner.get() : root;
        return isOf(named) && take(named);
    }

    /** Whether it is of this owner, and that one still has its memory. */
    boolean isOf(final Object root) {
        if (owner == null || root == null) {
            return owner == null && root == null;
        }
        return owner.refersTo(root) && !isClosed(root);
    }

    private boolean isClosed(final Object root) {
        return isPinned && ((PinnedMemory) root).isClosed();
    }

    /** Whether the memory may be another's by now. */
    boolean isOwnerGone() {
        if (owner == null) {
            return false;
        }
        final Object root = owner.get();
        return root == null || isClosed(root);
    }

    /** Whether its memory may be given back while its owner exists. */
    boolean isPinned() {
        return isPinned;
    }

    boolean isAdopted() {
        return isAdopted;
    }

    boolean hasOwner() {
        return owner != null;
    }

    int access() {
        return access;
    }

    Range range() {
        return new Range(start, end);
    }

    long length() {
        return end - start;
    }

    @Override
    public int lkey() {
        return lkey;
    }

    @Override
    public long deviceAddress(final long address) {
        return address + toDevice;
    }

    @Override
    public void release() {
        final int left = leave();
        if (left == IDLE) {
            // Meets park(): either it sees that this is idle, or this sees that it is parked.
            if (parked && unpark()) {
                cache.returned(this);
            }
        } else if (left == CLOSE) {
            cache.close(this);
        } else if (left == NOT_USED) {
            throw FabricException.of("release cached region").detail("%s is not in use", this)
                .errno(FiErrno.FI_EINVAL).hint("release each acquired region exactly once").build();
        }
    }

    @Override
    void tell(final long more) {
        cache.hits(more);
    }

    @Override
    void becomesIdle() {
        IDLE_SINCE.setOpaque(this, cache.tick());
    }

    long idleSince() {
        return (long) IDLE_SINCE.getOpaque(this);
    }

    void listed(final long since) {
        IDLE_SINCE.setOpaque(this, since);
    }

    /** It is taken out of the heap, as it is in use. */
    void park() {
        parked = true;
        VarHandle.fullFence();
    }

    /** Whether the caller is the one who has to put it back. */
    boolean unpark() {
        return PARKED.compareAndSet(this, true, false);
    }

    /**
     * Its end comes with that of its owner. Whoever waits for that holds neither this nor its cache, whose device may
     * hold the owner: that would never end.
     */
    void endsWith(final Object root, final Cleaner cleaner) {
        final WeakReference<Entry> self = new WeakReference<>(this);
        farewell = cleaner.register(root, () -> tell(self.get()));
    }

    private static void tell(final Entry entry) {
        if (entry != null) {
            entry.cache.ownerGone(entry);
        }
    }

    void subscribed() {
        subscribed = true;
    }

    boolean isSubscribed() {
        return subscribed;
    }

    /** The end of the owner closes it no more. */
    void forgetFarewell() {
        final Cleaner.Cleanable cleanable = farewell;
        if (cleanable != null) {
            cleanable.clean();
        }
    }

    /** Deregisters. Whether that was refused. */
    RdmaException closeRegion() {
        forgetFarewell();
        try {
            region.close();
            return null;
        } catch (final RdmaException e) {
            return e;
        }
    }

    /** What is registered. */
    MemoryRegion region() {
        return region;
    }

    @Override
    public String toString() {
        return range() + " lkey 0x" + Integer.toHexString(lkey) + ", used " + uses() + " times"
            + (isRetired() ? ", not kept" : "");
    }
}
