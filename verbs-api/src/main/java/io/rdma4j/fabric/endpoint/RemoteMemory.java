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
    private boolean byDirectory;
    private boolean counts;
    private boolean repeated;

    int rkey;
    long iova;
    int cellRkey;
    /** 0: nobody counts. */
    long cellIova;
    int errno;
    int detail;

    RemoteMemory(final MappedKeys mapped, final KeyCache cache) {
        this.mapped = mapped;
        this.cache = cache;
    }

    void connect(final PeerName peer) {
        byDirectory = peer.has(PeerName.KEYS_BY_DIRECTORY) && peer.capacity() > 0;
        counts = peer.has(PeerName.COUNTS) && peer.capacity() > 0;
    }

    /** While operations are looked at again that were let pass before: what objects now was looked up for them. */
    void isRepeated(final boolean value) {
        repeated = value;
    }

    /** What a key and an address mean: {@link #FOUND}, {@link #ASK} or {@link #REFUSED}. */
    int find(final RmaOperation operation, final long key, final long address, final long length) {
        cellRkey = 0;
        cellIova = 0;
        if (MappedKeys.isMapped(key)) {
            return byRawKey(operation, mapped.find(key), address, length);
        }
        if (byDirectory) {
            return byDirectory(operation, key, address, length);
        }
        if (key >>> Integer.SIZE != 0) {
            return refused(FiErrno.FI_EKEYREJECTED, Failures.WIDE_KEY);
        }
        rkey = (int) key;
        iova = address;
        return counts && operation.modifies() ? cellOf(key) : FOUND;
    }

    private int byRawKey(
        final RmaOperation operation, final DirectoryEntry entry, final long address, final long length) {
        if (entry == null) {
            return refused(FiErrno.FI_EKEYREJECTED, Failures.NOT_MAPPED);
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
        final long offset = address - cache.fabricBase(at);
        rkey = cache.rkey(at);
        iova = cache.deviceBase(at) + offset;
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
