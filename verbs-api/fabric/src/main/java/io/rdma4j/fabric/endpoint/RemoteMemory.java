/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.endpoint;

import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.completion.Failures;
import io.rdma4j.fabric.region.DirectoryEntry;
import io.rdma4j.fabric.region.DirectoryLayout;
import io.rdma4j.fabric.region.MappedKeys;

/**
 * What the peer's device needs to be told of memory of the peer. The answer is in the fields until the next question.
 * For the thread that uses the endpoint.
 */
final class RemoteMemory {
    /** The answer: the operation can be posted. */
    static final int FOUND = 0;
    /** The answer: the key is to be looked up first. */
    static final int ASK = 1;
    /** The answer: the operation fails, see errno and detail. */
    static final int REFUSED = 2;

    private final MappedKeys mapped;
    private final KeyCache cache;
    /** Whether only mapped keys are keys. */
    private final boolean raw;
    private boolean hasDirectory;
    private boolean byDirectory;
    private boolean counts;
    private boolean repeated;

    int rkey;
    /** Where it is for the device; of a region in pieces, bytes from its begin. */
    long iova;
    /** Of a region in pieces, see {@link PieceMap}; its key is that of its table then. */
    long[] pieces;
    int cellRkey;
    /** 0: nobody counts. */
    long cellIova;
    int errno;
    int detail;

    RemoteMemory(final MappedKeys mapped, final KeyCache cache, final boolean raw) {
        this.mapped = mapped;
        this.cache = cache;
        this.raw = raw;
    }

    void connect(final PeerName peer) {
        hasDirectory = peer.capacity() > 0;
        byDirectory = peer.has(PeerName.KEYS_BY_DIRECTORY) && peer.capacity() > 0;
        counts = peer.has(PeerName.COUNTS) && peer.capacity() > 0;
    }

    /** While operations are looked at again that were let pass before: what objects now was looked up for them. */
    void isRepeated(final boolean value) {
        repeated = value;
    }

    /** Whether a key is a name that means something else when the peer says so; else it is the device's in the end. */
    boolean isLookedUp(final long key) {
        return (byDirectory || DirectoryLayout.isName(key)) && !MappedKeys.isMapped(key);
    }

    /** What a mapped key of a region in pieces stands for, whose table is to be read; else null. */
    DirectoryEntry tableOf(final long key) {
        final DirectoryEntry entry = MappedKeys.isMapped(key) ? mapped.find(key) : null;
        return entry == null || entry.pieces() == 0 ? null : entry;
    }

    /** By which key the peer's directory has the region of a key. */
    long listedKey(final long key) {
        final DirectoryEntry entry = MappedKeys.isMapped(key) ? mapped.find(key) : null;
        return entry == null ? key : entry.key();
    }

    /**
     * What a key and an address mean: {@link #FOUND}, {@link #ASK} or {@link #REFUSED}. Without bytes neither is looked
     * at, as the device does not either (InfiniBand specification, 9.7.4.1.5): all kinds of keys answer alike. Nothing
     * is modified, so nothing counts it (fi_mr, FI_REMOTE_WRITE).
     */
    int find(final RmaOperation operation, final long key, final long address, final long length) {
        cellRkey = 0;
        cellIova = 0;
        if (pieces != null) {
            pieces = null;
        }
        if (length == 0) {
            rkey = 0;
            iova = 0;
            return FOUND;
        }
        if (MappedKeys.isMapped(key)) {
            return byRawKey(operation, key, address, length);
        }
        if (raw) {
            return refused(FiErrno.FI_EKEYREJECTED, Failures.NOT_MAPPED);
        }
        if (byDirectory || hasDirectory && DirectoryLayout.isName(key)) {
            return byDirectory(operation, key, address, length);
        }
        if (key >>> Integer.SIZE != 0) {
            return refused(FiErrno.FI_EKEYREJECTED, Failures.WIDE_KEY);
        }
        rkey = (int) key;
        iova = address;
        return counts && operation.modifies() ? cellOf(key) : FOUND;
    }

    private int byRawKey(final RmaOperation operation, final long key, final long address, final long length) {
        final DirectoryEntry entry = mapped.find(key);
        if (entry == null) {
            return refused(FiErrno.FI_EKEYREJECTED, Failures.NOT_MAPPED);
        }
        if (entry.pieces() > 0) {
            return byDirectory(operation, key, address, length);
        }
        final int objection =
            objection(operation, entry.access(), address - entry.fabricBase(), length, entry.length());
        if (objection != 0) {
            return objected(objection);
        }
        rkey = entry.rkey();
        iova = entry.deviceBase() + (address - entry.fabricBase());
        if (operation.modifies()) {
            cellRkey = entry.cellRkey();
            cellIova = entry.cellIova();
        }
        return FOUND;
    }

    private int byDirectory(final RmaOperation operation, final long key, final long address, final long length) {
        final int at = cache.find(key);
        if (at < 0) {
            return ASK;
        }
        final int objection = objection(at, operation, address, length);
        if (objection != 0) {
            // It may be so no more: only what was looked up for this operation counts.
            return repeated ? objected(objection) : cache.takeFresh(at) ? objected(at, objection) : ASK;
        }
        // This was the operation that it was looked up for.
        cache.takeFresh(at);
        final long offset = address - cache.fabricBase(at);
        rkey = cache.rkey(at);
        final long[] map = cache.pieces(at);
        if (map == null) {
            iova = cache.deviceBase(at) + offset;
        } else {
            if (operation.remote == DirectoryLayout.ATOMIC && PieceMap.count(map, offset, length) > 1) {
                return refused(FiErrno.FI_EINVAL, Failures.ACROSS_PIECES);
            }
            pieces = map;
            iova = offset;
        }
        if (operation.modifies()) {
            cellRkey = cache.cellRkey(at);
            cellIova = cache.cellIova(at);
        }
        return FOUND;
    }

    /** The region has a key of the device; only its event cell is in the directory, if it has one. */
    private int cellOf(final long key) {
        final int at = cache.find(key);
        if (at < 0) {
            return ASK;
        }
        if (cache.state(at) == DirectoryLayout.LIVE) {
            cellRkey = cache.cellRkey(at);
            cellIova = cache.cellIova(at);
        }
        return FOUND;
    }

    /**
     * What was wrong with an access that the device refused by its key, as the peer's directory has it now.
     *
     * @return whether the fields say it; else there is nothing wrong any more, or nobody knows.
     */
    boolean explain(
        final RmaOperation operation, final long key, final long address, final long length, final int usedRkey) {
        final int at = cache.find(listedKey(key));
        final int state = cache.state(at);
        int objection = 0;
        if (state == DirectoryLayout.LIVE) {
            // Another region may have the number by now.
            objection = cache.rkey(at) == usedRkey ? objection(at, operation, address, length) : Failures.NO_KEY;
        } else if (state == DirectoryLayout.DISABLED) {
            objection = Failures.DISABLED;
        } else if (state == KeyCache.MISSING) {
            objection = Failures.NO_KEY;
        }
        return objection != 0 && objected(objection) == REFUSED;
    }

    private int objection(final int at, final RmaOperation operation, final long address, final long length) {
        return switch (cache.state(at)) {
            case DirectoryLayout.LIVE ->
                objection(operation, cache.access(at), address - cache.fabricBase(at), length, cache.length(at));
            case DirectoryLayout.DISABLED -> Failures.DISABLED;
            case KeyCache.UNREADABLE -> Failures.NO_DIRECTORY;
            default -> Failures.NO_KEY;
        };
    }

    private static int objection(
        final RmaOperation operation, final int access, final long offset, final long length, final long size) {
        if ((access & operation.remote) == 0) {
            return Failures.NO_RIGHT;
        }
        // The peer may claim any size, also a negative one.
        return offset < 0 || length > size || offset > size - length ? Failures.OUT_OF_BOUNDS : 0;
    }

    private int objected(final int at, final int objection) {
        if (cache.state(at) != DirectoryLayout.LIVE) {
            // The next operation asks again.
            cache.drop(at);
        }
        return objected(objection);
    }

    private int objected(final int objection) {
        final int number = switch (objection) {
            case Failures.NO_KEY -> FiErrno.FI_EKEYREJECTED;
            case Failures.OUT_OF_BOUNDS -> FiErrno.FI_EINVAL;
            case Failures.NO_DIRECTORY -> FiErrno.FI_EIO;
            default -> FiErrno.FI_EACCES;
        };
        return refused(number, objection);
    }

    private int refused(final int number, final int what) {
        errno = number;
        detail = what;
        return REFUSED;
    }
}
