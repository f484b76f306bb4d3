/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import io.rdma4j.RdmaException;
import io.rdma4j.verbs.AhAttributes;
import io.rdma4j.verbs.Gid;
import io.rdma4j.verbs.spi.AhRanges;
import io.rdma4j.verbs.spi.Errors;

/** Ways to peers: what is allowed, and the Ethernet address at their end. */
final class Addresses {
    private static final int MAC_LENGTH = 6;
    private static final int LINK_LOCAL = 0xfe80;

    private Addresses() {
    }

    /**
     * The Ethernet address that an EUI-64 in a link-local GID was made from (RFC 4291, appendix A). Others would need
     * the neighbour table of an IP stack, which the device's port does not have here: zero, and the device resolves.
     */
    static byte[] mac(final Gid gid) {
        final byte[] mac = new byte[MAC_LENGTH];
        if (gid.high() >>> 48 == LINK_LOCAL) {
            final byte[] bytes = gid.bytes();
            mac[0] = (byte) (bytes[8] ^ 2);
            mac[1] = bytes[9];
            mac[2] = bytes[10];
            mac[3] = bytes[13];
            mac[4] = bytes[14];
            mac[5] = bytes[15];
        }
        return mac;
    }

    /** Refuses a way that the device would not, or not well, take. */
    static void check(final AhAttributes way, final String operation, final PvrdmaContext context) {
        AhRanges.check(way, operation, context, "bind a GID there with bindGid, or use index 0");
        final Gid dgid = way.dgid();
        final String why = context.whyUnreachable(dgid);
        if (why != null) {
            throw Errors.error(RdmaException.EHOSTUNREACH, operation, context, "GID %s: %s", dgid, why);
        }
    }
}
