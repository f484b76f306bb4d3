/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.foreign;

import io.rdma4j.verbs.Gid;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/** Words of such exchanges, and what is wrong with them. */
final class Words {
    private static final int MOST_SHOWN = 64;
    /** 0 and 1 are for the network's managers, all ones is everybody in a multicast. */
    private static final int FIRST_QPN = 2;
    private static final int LAST_QPN = 0xfffffe;

    private Words() {
    }

    /** ASCII with a NUL behind it. */
    static byte[] terminated(final String text) {
        return (text + '\0').getBytes(StandardCharsets.US_ASCII);
    }

    /** Bytes as characters, one for one. */
    static String text(final byte[] bytes) {
        return new String(bytes, StandardCharsets.ISO_8859_1);
    }

    /** What came, so that it can be printed. */
    static String shown(final byte[] bytes) {
        final String text = text(bytes).replaceAll("\0+$", "");
        final String cut = text.length() > MOST_SHOWN ? text.substring(0, MOST_SHOWN) + "..." : text;
        return '\'' + cut.replaceAll("[^ -~]", "?") + '\'';
    }

    static Gid gid(final String digits) {
        return Gid.of(HexFormat.of().parseHex(digits));
    }

    /** Refuses who cannot be reached. */
    static void requireReachable(final ForeignSocket peer, final Gid gid, final int qpn, final String option) {
        if (gid.isZero()) {
            throw peer.refused("it tells no GID", "start it with " + option + " and the index of a GID, such as the "
                + "one of its IPv4 address and RoCE version 2: rdma4j devinfo -v -d ibv:DEVICE tells it there");
        }
        if (gid.isMulticast() || qpn < FIRST_QPN || qpn > LAST_QPN) {
            throw peer.refused(String.format("its QP 0x%06x at GID %s is none that anybody has", qpn, gid),
                "it is broken, or no such program");
        }
    }
}
