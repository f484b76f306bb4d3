/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.foreign;

import io.rdma4j.verbs.Gid;

import java.util.HexFormat;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a side of perftest tells of a QP and its memory: text of hexadecimal digits with a colon after each field, 108
 * bytes with the NUL. LID and number of a shared receive queue are 0: they do not matter here.
 *
 * @param outs    READs and atomics that may be under way towards it.
 * @param qpn     number of its QP.
 * @param psn     first packet sequence number that it sends with.
 * @param rkey    key of its memory.
 * @param address first byte of its memory.
 * @param gid     where it is.
 */
public record PerftestKeys(int outs, int qpn, int psn, int rkey, long address, Gid gid) {
    /** With a GID. */
    static final int LENGTH = 108;
    /** Of a side that was started without one. */
    static final int LENGTH_WITHOUT_GID = 59;
    /** A colon stands here if there is a GID: behind its first byte. */
    private static final int AFTER_GID_BYTE = 52;
    private static final int HEXADECIMAL = 16;
    private static final Pattern FORM = Pattern.compile("[0-9a-f]{4}:([0-9a-f]{4}):([0-9a-f]{6}):([0-9a-f]{6}):"
        + "([0-9a-f]{8}):([0-9a-f]{16}):((?:[0-9a-f]{2}:){16})[0-9a-f]{8}:\0", Pattern.CASE_INSENSITIVE);

    byte[] toBytes() {
        return Words.terminated(String.format("%04x:%04x:%06x:%06x:%08x:%016x:%s:%08x:", 0, outs, qpn, psn, rkey,
            address, HexFormat.ofDelimiter(":").formatHex(gid.bytes()), 0));
    }

    static PerftestKeys read(final ForeignSocket peer) {
        final byte[] bytes = new byte[LENGTH];
        final byte[] first = peer.read(LENGTH_WITHOUT_GID, "its keys");
        if (first[AFTER_GID_BYTE] != ':') {
            throw peer.refused("it said " + Words.shown(first) + " where QP, keys and GID belong",
                "start it with -x and the index of a GID; else it is no perftest of such a version");
        }
        System.arraycopy(first, 0, bytes, 0, first.length);
        peer.read(bytes, first.length, "its keys");
        final Matcher fields = FORM.matcher(Words.text(bytes));
        if (!fields.matches()) {
            throw peer.refused("it said " + Words.shown(bytes) + " where QP, keys and GID belong",
                "it is no perftest of such a version");
        }
        final PerftestKeys keys = new PerftestKeys(number(fields, 1), number(fields, 2), number(fields, 3),
            Integer.parseUnsignedInt(fields.group(4), HEXADECIMAL),
            Long.parseUnsignedLong(fields.group(5), HEXADECIMAL), Words.gid(fields.group(6).replace(":", "")));
        Words.requireReachable(peer, keys.gid, keys.qpn, "-x");
        return keys;
    }

    private static int number(final Matcher fields, final int group) {
        return Integer.parseInt(fields.group(group), HEXADECIMAL);
    }
}
