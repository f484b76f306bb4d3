/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.endpoint;

import io.rdma4j.fabric.cache.RegionRoom;
import io.rdma4j.fabric.region.DirectoryEntry;
import io.rdma4j.fabric.region.DirectoryLayout;
import io.rdma4j.fabric.region.Realm;
import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.PinnedMemory;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.ReturnCode;
import io.rdma4j.verbs.SendOpcode;
import io.rdma4j.verbs.SendRequest;

import org.agrona.concurrent.UnsafeBuffer;

/**
 * Looks one key up in the peer's directory, by RDMA READs of some entries each; of a region in pieces also the table of
 * them. What the directory says is not believed: the number of entries that are read, and of second readings, is
 * bounded.
 */
final class KeyLookup implements AutoCloseable {
    /** Where the former values of event cells go, which nobody wants to know. */
    static final int CELL_OFFSET = 512;

    private static final int MOST_ENTRIES = 4;
    /** Longer searches are not to be expected of a table that is half empty. */
    private static final int MOST_PROBES = 1 << 16;
    private static final int MOST_SECOND_READINGS = 256;
    private static final int SCRATCH_LENGTH = 4096;
    private static final int TABLE_OFFSET = 1024;
    private static final int MOST_TABLE_ENTRIES = (SCRATCH_LENGTH - TABLE_OFFSET) / DirectoryLayout.ENTRY_LENGTH;
    /** How often the directory is asked for another table, because one is gone. */
    private static final int MOST_TABLES = 8;

    private final QueuePair qp;
    private final PinnedMemory scratch;
    private final MemoryRegion region;
    private final UnsafeBuffer buffer;
    private final SendRequest request = new SendRequest().opcode(SendOpcode.RDMA_READ);
    private PeerName peer;
    private boolean isBusy;
    private boolean hasArrived;
    private long key;
    private int index;
    private int entries;
    private int probesLeft;
    private int readingsLeft;
    private int tablesLeft;
    /** Of a region in pieces, while its table is read; else null. */
    private DirectoryEntry whole;
    private boolean isListed;
    private long[] pieces;
    private int piecesRead;

    /** With room behind its own for copies of what is written. */
    KeyLookup(final QueuePair qp, final Realm realm, final int copies) {
        this.qp = qp;
        this.scratch = realm.pd().context().allocate(SCRATCH_LENGTH + copies);
        try {
            this.region = RegionRoom.register(realm.pd(), scratch, AccessFlag.LOCAL_WRITE);
        } catch (final RuntimeException e) {
            scratch.close();
            throw e;
        }
        this.buffer = scratch.buffer();
    }

    void connect(final PeerName to, final long wrId) {
        peer = to;
        request.wrId(wrId);
    }

    UnsafeBuffer buffer() {
        return buffer;
    }

    int injectOffset() {
        return SCRATCH_LENGTH;
    }

    long scratchIova() {
        return region.iova();
    }

    int scratchLkey() {
        return region.lkey();
    }

    boolean isBusy() {
        return isBusy;
    }

    /** Begins; {@link ReturnCode#OK} or a code. */
    int start(final long wanted) {
        tablesLeft = MOST_TABLES;
        isListed = true;
        return search(wanted);
    }

    /** Begins to read the table of a mapped key. */
    int start(final long mappedKey, final DirectoryEntry entry) {
        key = mappedKey;
        isListed = false;
        return begun(readTable(entry));
    }

    private int search(final long wanted) {
        key = wanted;
        whole = null;
        index = DirectoryLayout.slotOf(wanted, peer.capacity());
        probesLeft = Math.min(peer.capacity(), MOST_PROBES);
        readingsLeft = MOST_SECOND_READINGS;
        return begun(post());
    }

    private int begun(final int code) {
        isBusy = code == ReturnCode.OK;
        return code;
    }

    private int readTable(final DirectoryEntry entry) {
        whole = entry;
        pieces = PieceMap.of(entry.pieces());
        piecesRead = 0;
        return post();
    }

    /** Asks again for what was asked for last, after the lane came up again. */
    int post() {
        hasArrived = false;
        if (whole != null) {
            entries = Math.min(MOST_TABLE_ENTRIES, whole.pieces() - piecesRead);
            return qp.postSend(request
                .sge(region.iova() + TABLE_OFFSET, entries * DirectoryLayout.ENTRY_LENGTH, region.lkey())
                .remote(whole.deviceBase() + (long) piecesRead * DirectoryLayout.ENTRY_LENGTH, whole.rkey()));
        }
        entries = Math.min(MOST_ENTRIES, peer.capacity() - index);
        final long first = peer.directory() + (long) index * DirectoryLayout.ENTRY_LENGTH;
        return qp.postSend(request.sge(region.iova(), entries * DirectoryLayout.ENTRY_LENGTH, region.lkey())
            .remote(first, peer.rkey()));
    }

    /** The answer is there. */
    void arrived() {
        hasArrived = isBusy;
    }

    /** Looks at the answer, if there is one, and asks for more if need be. */
    int step(final KeyCache cache) {
        if (!hasArrived) {
            return ReturnCode.OK;
        }
        hasArrived = false;
        if (whole != null) {
            return stepTable(cache);
        }
        for (int i = 0; i < entries; i++) {
            final int offset = i * DirectoryLayout.ENTRY_LENGTH;
            if (!DirectoryLayout.isIntact(buffer, offset, peer.nonce())) {
                return readAgain(i, cache);
            }
            final int state = DirectoryLayout.state(buffer, offset);
            if (state == DirectoryLayout.FREE) {
                return finish(cache, KeyCache.MISSING);
            }
            if (state == DirectoryLayout.IN_PIECES && DirectoryLayout.key(buffer, offset) == key) {
                final DirectoryEntry entry = DirectoryLayout.read(buffer, offset);
                return entry.pieces() < 1 || entry.pieces() > DirectoryLayout.MOST_PIECES
                    ? finish(cache, KeyCache.UNREADABLE) : readTable(entry);
            }
            if (isWanted(offset, state)) {
                isBusy = false;
                cache.put(buffer, offset);
                return ReturnCode.OK;
            }
        }
        advance(entries);
        return probesLeft <= 0 ? finish(cache, KeyCache.MISSING) : post();
    }

    private int stepTable(final KeyCache cache) {
        for (int i = 0; i < entries; i++) {
            final int offset = TABLE_OFFSET + i * DirectoryLayout.ENTRY_LENGTH;
            final long length = DirectoryLayout.length(buffer, offset);
            final long begin = PieceMap.begin(pieces, piecesRead);
            if (!DirectoryLayout.isIntact(buffer, offset, peer.nonce())
                || DirectoryLayout.state(buffer, offset) != DirectoryLayout.IN_PIECES
                || DirectoryLayout.key(buffer, offset) != whole.key()
                || DirectoryLayout.fabricBase(buffer, offset) != whole.fabricBase() + begin
                || length < 1 || length > whole.length() - begin) {
                return finish(cache, KeyCache.UNREADABLE);
            }
            PieceMap.put(pieces, piecesRead++, DirectoryLayout.rkey(buffer, offset),
                DirectoryLayout.deviceBase(buffer, offset), length);
        }
        if (piecesRead < whole.pieces()) {
            return post();
        }
        if (PieceMap.begin(pieces, piecesRead) != whole.length()) {
            return finish(cache, KeyCache.UNREADABLE);
        }
        isBusy = false;
        cache.put(key, whole, pieces);
        return ReturnCode.OK;
    }

    /** The device refused to read. A table goes with its region, or when the region is registered anew. */
    void failed(final KeyCache cache) {
        if (whole == null) {
            finish(cache, KeyCache.UNREADABLE);
        } else if (!isListed) {
            finish(cache, KeyCache.MISSING);
        } else if (--tablesLeft < 0 || search(key) != ReturnCode.OK) {
            finish(cache, KeyCache.UNREADABLE);
        }
    }

    private boolean isWanted(final int offset, final int state) {
        return (state == DirectoryLayout.LIVE || state == DirectoryLayout.DISABLED)
            && DirectoryLayout.key(buffer, offset) == key;
    }

    private int readAgain(final int from, final KeyCache cache) {
        if (--readingsLeft < 0) {
            return finish(cache, KeyCache.UNREADABLE);
        }
        advance(from);
        return post();
    }

    private void advance(final int by) {
        index = index + by & peer.capacity() - 1;
        probesLeft -= by;
    }

    /** Ends without an entry. */
    int finish(final KeyCache cache, final int state) {
        isBusy = false;
        hasArrived = false;
        cache.putState(key, state);
        return ReturnCode.OK;
    }

    @Override
    public void close() {
        region.close();
        scratch.close();
    }
}
