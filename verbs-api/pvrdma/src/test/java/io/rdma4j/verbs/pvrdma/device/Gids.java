/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma.device;

/** GIDs for tests. */
final class Gids {
    private Gids() {
    }

    /** A link-local GID that ends in a number. */
    static byte[] of(final int last) {
        final byte[] gid = new byte[16];
        gid[0] = (byte) 0xfe;
        gid[1] = (byte) 0x80;
        gid[15] = (byte) last;
        return gid;
    }
}
