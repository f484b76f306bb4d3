/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.region;

import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.FiErrno;

import org.agrona.concurrent.UnsafeBuffer;

/**
 * A raw key (checklist 36, 37): an entry of a key directory with a magic and a version in place of the state. All that
 * a peer needs is in it, so that it looks nothing up but the table of a region in pieces.
 */
public final class RawKey {
    /** Bytes. */
    public static final int LENGTH = DirectoryLayout.ENTRY_LENGTH;

    /** "RK" and the version of the layout. */
    private static final int MAGIC = 0x524b_0001;
    /** The same, of a region in pieces. */
    private static final int MAGIC_OF_PIECES = 0x5250_0001;
    private static final long NONCE = 0x7264_6d61_346a_6b79L;

    private RawKey() {
    }

    static void write(final DirectoryEntry entry, final byte[] rawKey) {
        DirectoryLayout.write(new UnsafeBuffer(rawKey), 0, entry, magicOf(entry), NONCE);
    }

    private static int magicOf(final DirectoryEntry entry) {
        return entry.pieces() == 0 ? MAGIC : MAGIC_OF_PIECES;
    }

    static DirectoryEntry read(final long base, final byte[] rawKey) {
        if (rawKey == null) {
            throw invalid("the raw key is null");
        }
        if (rawKey.length != LENGTH) {
            throw invalid("the raw key has %d bytes, those of this provider have %d", rawKey.length, LENGTH);
        }
        final UnsafeBuffer buffer = new UnsafeBuffer(rawKey.clone());
        final DirectoryEntry entry = DirectoryLayout.read(buffer, 0);
        if (DirectoryLayout.state(buffer, 0) != magicOf(entry) || entry.pieces() > DirectoryLayout.MOST_PIECES
            || !DirectoryLayout.isIntact(buffer, 0, NONCE)) {
            throw invalid("these %d bytes are no raw key of this version", LENGTH);
        }
        if (entry.fabricBase() != base) {
            throw invalid("base is 0x%x, the raw key belongs to 0x%x", base, entry.fabricBase());
        }
        return entry;
    }

    private static FabricException invalid(final String format, final Object... values) {
        return FabricException.of("map raw key").detail(format, values).errno(FiErrno.FI_EINVAL)
            .hint("pass on both results of MemoryRegion.rawAttributes as they are").build();
    }
}
