/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.shared;

import io.rdma4j.base.Undo;
import io.rdma4j.fabric.AvType;
import io.rdma4j.fabric.FabricAddress;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.av.AvEntry;
import io.rdma4j.fabric.av.AvStore;
import io.rdma4j.fabric.av.PeerAddress;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/** A vector in a file that processes share. */
final class SharedStore implements AvStore {
    private final SharedFile file;
    private final SharedLayout layout;
    private final boolean readOnly;
    private final UnsafeBuffer header;
    private final SharedEntries entries;
    private final SharedIndex index;
    private final SharedChanges changes;
    private final AtomicBoolean closed = new AtomicBoolean();

    SharedStore(final SharedFile file, final boolean readOnly, final int kind) throws IOException {
        this.file = file;
        this.readOnly = readOnly;
        layout = file.layout();
        final SharedMemory memory = file.map(readOnly);
        header = memory.front;
        entries = new SharedEntries(memory, kind);
        index = new SharedIndex(memory, entries);
        changes = new SharedChanges(memory, entries, index, file::makeRoom);
    }

    @Override
    public AvType type() {
        return layout.type;
    }

    @Override
    public int rxCtxBits() {
        return layout.rxCtxBits;
    }

    @Override
    public long mapAddress() {
        return layout.base;
    }

    @Override
    public boolean isShared() {
        return true;
    }

    @Override
    public boolean isReadOnly() {
        return readOnly;
    }

    @Override
    public boolean find(final int place, final int life, final PeerAddress into) {
        return entries.find(place, life, into);
    }

    @Override
    public long placeOf(final long gidHigh, final long gidLow, final int qpn, final long qkey) {
        return entries.first(index.find(gidHigh, gidLow, qpn, qkey), gidHigh, gidLow, qpn, qkey);
    }

    @Override
    public int life(final int place) {
        return entries.life(place);
    }

    @Override
    public FabricAddress inserted(final int place, final int life) {
        return entries.inserted(place, life);
    }

    @Override
    public int inserted(
        final int place, final int life, final MutableDirectBuffer to, final int offset, final int length) {
        return entries.inserted(place, life, to, offset, length);
    }

    /** One for reading only changes nothing, so that it waits for nobody. */
    @Override
    public void lock() {
        if (!readOnly) {
            file.lock();
            try (Undo undo = new Undo()) {
                undo.add(file::unlock);
                requireGood();
                changes.mend();
                changes.reclaim(file::isGone);
                undo.forget();
            }
        }
    }

    private void requireGood() {
        if (!changes.isGood()) {
            throw Troubles.damaged(Troubles.CHANGE, file.path(),
                "its words of places and index are 0x%016x and 0x%016x",
                header.getLong(SharedLayout.PLACES_OFFSET), header.getLong(SharedLayout.LEVEL_OFFSET));
        }
    }

    @Override
    public void unlock() {
        if (!readOnly) {
            file.unlock();
        }
    }

    @Override
    public long insert(final AvEntry entry) {
        return readOnly ? -FiErrno.FI_EACCES : changes.insert(entry, file.owner(changes.owners()));
    }

    @Override
    public boolean remove(final int place, final int life) {
        if (readOnly || !isThere(place, life)) {
            return false;
        }
        changes.remove(place);
        return true;
    }

    private boolean isThere(final int place, final int life) {
        final int found = entries.life(place);
        return found != 0 && (life == 0 || life == found);
    }

    @Override
    public boolean resolved(final int place, final int life, final AvEntry device) {
        if (readOnly) {
            return entries.moveHere(place, life, device);
        }
        // The address of another kind of endpoint is not this domain's to move.
        if (!isThere(place, life) || !entries.isOfKindAt(place)) {
            return false;
        }
        if (!entries.isAt(place, device)) {
            changes.move(place, device);
        }
        return true;
    }

    @Override
    public int moves() {
        return header.getIntVolatile(SharedLayout.MOVES_OFFSET);
    }

    @Override
    public long size() {
        return header.getLongVolatile(SharedLayout.SIZE_OFFSET);
    }

    @Override
    public int end() {
        return entries.places();
    }

    @Override
    public long memoryUse() {
        return header.getLong(SharedLayout.USED_OFFSET);
    }

    @Override
    public void close() {
        try {
            file.release(closed);
        } catch (final IOException e) {
            throw Troubles.of(Troubles.CLOSE, file.path(), e);
        }
    }
}
