/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.region;

import io.rdma4j.fabric.cache.RegionRoom;
import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.PinnedMemory;

import org.agrona.concurrent.UnsafeBuffer;

/**
 * What peers read of a region in pieces: which regions the device has in its place, see {@link
 * DirectoryLayout#IN_PIECES}. Written before it can be read, and never again.
 */
final class PieceTable implements AutoCloseable {
    private final PinnedMemory memory;
    private final MemoryRegion region;
    private final int size;

    private PieceTable(final PinnedMemory memory, final MemoryRegion region, final int size) {
        this.memory = memory;
        this.region = region;
        this.size = size;
    }

    /** For peers of a realm; the entry has what the pieces have in common. */
    static PieceTable open(final Realm realm, final DirectoryEntry entry, final RegionDevice[] devices) {
        final PinnedMemory memory =
            realm.pd().context().allocate((long) devices.length * DirectoryLayout.ENTRY_LENGTH);
        MemoryRegion region = null;
        try {
            write(memory.buffer(), realm.directory().nonce(), entry, devices);
            region = RegionRoom.register(realm.pd(), memory, AccessFlag.REMOTE_READ);
            return new PieceTable(memory, region, devices.length);
        } finally {
            if (region == null) {
                memory.close();
            }
        }
    }

    private static void write(
        final UnsafeBuffer to, final long nonce, final DirectoryEntry entry, final RegionDevice[] devices) {
        long base = entry.fabricBase();
        for (int i = 0; i < devices.length; i++) {
            final RegionDevice.Keys names = devices[i].keys();
            final long length = devices[i].buffers().length();
            DirectoryLayout.write(to, i * DirectoryLayout.ENTRY_LENGTH, new DirectoryEntry(entry.key(), names.rkey(),
                names.iova(), length, base, entry.access(), 0, 0), DirectoryLayout.IN_PIECES, nonce);
            base += length;
        }
    }

    int size() {
        return size;
    }

    int rkey() {
        return region.rkey();
    }

    long iova() {
        return region.iova();
    }

    @Override
    public void close() {
        region.close();
        memory.close();
    }
}
