/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.region;

import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.cache.RegionRoom;
import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.PinnedMemory;
import io.rdma4j.verbs.ProtectionDomain;

import java.security.SecureRandom;

import org.agrona.BitUtil;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The side of a key directory that is read by peers: see {@link DirectoryLayout}. Control path; thread-safe. Peers read
 * while it changes, so an entry never moves: a search that began before a change finds what was there then, or now.
 */
public final class KeyDirectory {
    private static final SecureRandom NONCES = new SecureRandom();

    private final UnsafeBuffer table;
    private final PinnedMemory memory;
    private final MemoryRegion region;
    private final int capacity;
    private final long nonce;

    KeyDirectory(
        final UnsafeBuffer table, final PinnedMemory memory, final MemoryRegion region, final long nonce) {
        this.table = table;
        this.memory = memory;
        this.region = region;
        this.nonce = nonce;
        capacity = table.capacity() / DirectoryLayout.ENTRY_LENGTH;
    }

    /** A directory that is in no registered memory: its entries are kept all the same. */
    KeyDirectory(final UnsafeBuffer table, final long nonce) {
        this(table, null, null, nonce);
    }

    /** A directory that nobody reads: of a domain or device where keys need no looking up. */
    static KeyDirectory unread() {
        return new KeyDirectory(new UnsafeBuffer(new byte[0]), 0);
    }

    /**
     * A directory that peers with access to the protection domain can read.
     *
     * @param regions most entries; the table has room for twice as many, so that searches are short.
     */
    static KeyDirectory open(final ProtectionDomain pd, final int regions) {
        final int capacity = BitUtil.findNextPositivePowerOfTwo(Math.max(64, 2 * regions));
        final PinnedMemory memory = pd.context().allocate((long) capacity * DirectoryLayout.ENTRY_LENGTH);
        MemoryRegion region = null;
        try {
            final UnsafeBuffer table = memory.buffer();
            region = RegionRoom.register(pd, memory, AccessFlag.REMOTE_READ);
            return new KeyDirectory(table, memory, region, NONCES.nextLong());
        } finally {
            if (region == null) {
                memory.close();
            }
        }
    }

    /**
     * Whether peers can read it.
     *
     * @return false where no key needs to be looked up: then there are no entries.
     */
    public boolean isReadable() {
        return region != null;
    }

    /**
     * Where the table is.
     *
     * @return the address for RDMA READs of peers; 0 if it is not readable.
     */
    public long iova() {
        return isReadable() ? region.iova() : 0;
    }

    /**
     * The key of the table.
     *
     * @return for RDMA READs of peers; 0 if it is not readable.
     */
    public int rkey() {
        return isReadable() ? region.rkey() : 0;
    }

    /**
     * Size of the table.
     *
     * @return entries, a power of two; 0 if it is not readable.
     */
    public int capacity() {
        return capacity;
    }

    /**
     * What is mixed into the checks, so that other memory is not taken for this directory.
     *
     * @return 64 bits, others for each directory.
     */
    public long nonce() {
        return nonce;
    }

    /** Writes an entry; one of the same key is replaced in its place. */
    synchronized void put(final DirectoryEntry entry, final boolean live) {
        if (capacity == 0) {
            return;
        }
        final int offset = place(entry.key());
        if (offset < 0) {
            throw FabricException.of("register memory").detail("%s is full", this).errno(FiErrno.FI_ENOMR).build();
        }
        final int open = entry.pieces() == 0 ? DirectoryLayout.LIVE : DirectoryLayout.IN_PIECES;
        DirectoryLayout.write(table, offset, entry, live ? open : DirectoryLayout.DISABLED, nonce);
    }

    /** Takes an entry out; harmless if there is none. */
    synchronized void remove(final long key) {
        final int offset = capacity == 0 ? -1 : find(key);
        if (offset < 0) {
            return;
        }
        DirectoryLayout.clear(table, offset, DirectoryLayout.REMOVED, nonce);
        freeAround(offset);
    }

    /** Tombstones that no search has to pass are free again: else they would fill the table. */
    private void freeAround(final int last) {
        int offset = last;
        for (int i = 0; i < capacity; i++) {
            final int state = DirectoryLayout.state(table, offset);
            if (state == DirectoryLayout.FREE) {
                return;
            }
            if (state == DirectoryLayout.REMOVED && !isPassed(offset)) {
                DirectoryLayout.clear(table, offset, DirectoryLayout.FREE, nonce);
            }
            offset = (offset == 0 ? capacity * DirectoryLayout.ENTRY_LENGTH : offset) - DirectoryLayout.ENTRY_LENGTH;
        }
    }

    /** Whether the search for an entry behind this one begins at it or before it. */
    private boolean isPassed(final int tombstone) {
        int offset = next(tombstone);
        for (int distance = 1; distance < capacity; distance++) {
            final int state = DirectoryLayout.state(table, offset);
            if (state == DirectoryLayout.FREE) {
                return false;
            }
            if (state != DirectoryLayout.REMOVED && displacement(offset) >= distance) {
                return true;
            }
            offset = next(offset);
        }
        return false;
    }

    /** How far an entry is from where its search begins. */
    private int displacement(final int offset) {
        final int home = DirectoryLayout.slotOf(DirectoryLayout.key(table, offset), capacity);
        return offset / DirectoryLayout.ENTRY_LENGTH - home & capacity - 1;
    }

    private int next(final int offset) {
        final int next = offset + DirectoryLayout.ENTRY_LENGTH;
        return next == capacity * DirectoryLayout.ENTRY_LENGTH ? 0 : next;
    }

    /** Offset of the entry of a key, or -1. */
    private int find(final long key) {
        int offset = first(key);
        for (int i = 0; i < capacity; i++) {
            final int state = DirectoryLayout.state(table, offset);
            if (state == DirectoryLayout.FREE) {
                return -1;
            }
            if (state != DirectoryLayout.REMOVED && DirectoryLayout.key(table, offset) == key) {
                return offset;
            }
            offset = next(offset);
        }
        return -1;
    }

    /** Offset of the entry of a key, or of one that it can have, or -1. */
    private int place(final long key) {
        final int found = find(key);
        if (found >= 0) {
            return found;
        }
        int offset = first(key);
        for (int i = 0; i < capacity; i++) {
            if (DirectoryLayout.state(table, offset) <= DirectoryLayout.REMOVED) {
                return offset;
            }
            offset = next(offset);
        }
        return -1;
    }

    private int first(final long key) {
        return DirectoryLayout.slotOf(key, capacity) * DirectoryLayout.ENTRY_LENGTH;
    }

    /** The entry of a key, as a peer finds it; null if there is none. */
    synchronized DirectoryEntry read(final long key) {
        final int offset = capacity == 0 ? -1 : find(key);
        return offset < 0 ? null : DirectoryLayout.read(table, offset);
    }

    /** For tests and failure reports. */
    UnsafeBuffer table() {
        return table;
    }

    void close() {
        if (isReadable()) {
            region.close();
            memory.close();
        }
    }

    @Override
    public String toString() {
        return capacity == 0 ? "no key directory"
            : String.format("key directory of %d entries at 0x%x", capacity, iova());
    }
}
