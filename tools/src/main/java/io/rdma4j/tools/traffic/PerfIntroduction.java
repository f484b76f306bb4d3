/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.traffic;

import io.rdma4j.RdmaException;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * What two processes tell each other before they begin, as the private data of each connection.
 *
 * <pre>
 *   0  magic, with a version (4)       8  address of the memory lent (8)
 *   4  zero (2)                       16  rkey (4)
 *   6  which connection (2)           20  what both have to agree on, UTF-8
 * </pre>
 *
 * @param lane which connection: 0 is the one for words.
 * @param game what both have to agree on.
 * @param lent what it lends.
 */
record PerfIntroduction(int lane, String game, RemoteMemory lent) {
    private static final int MAGIC = 0x50_46_31_02;
    private static final int LENGTH = 20;
    private static final int MAX_GAME = 200;

    byte[] toBytes() {
        final byte[] text = game.getBytes(StandardCharsets.UTF_8);
        return ByteBuffer.allocate(LENGTH + text.length).putInt(MAGIC).putShort((short) 0).putShort((short) lane)
            .putLong(lent.address()).putInt(lent.rkey()).put(text).array();
    }

    /**
     * Reads what the other process wrote, which may be any program.
     *
     * @throws RdmaException EINVAL if it is no greeting.
     */
    static PerfIntroduction parse(final byte[] data) {
        final ByteBuffer bytes = ByteBuffer.wrap(data);
        if (data.length < LENGTH || data.length > LENGTH + MAX_GAME || bytes.getInt() != MAGIC) {
            throw refusal("the other process is no perf of this version",
                "start rdma4j perf on both sides, in the same version");
        }
        bytes.getShort();
        final int lane = bytes.getShort();
        final RemoteMemory lent = new RemoteMemory(bytes.getLong(), bytes.getInt());
        return new PerfIntroduction(lane, new String(data, LENGTH, data.length - LENGTH, StandardCharsets.UTF_8), lent);
    }

    /**
     * Checks that both fit.
     *
     * @throws RdmaException EINVAL if they were asked for different things.
     */
    void requireMatch(final PerfIntroduction other) {
        if (!game.equals(other.game) || lane != other.lane) {
            throw refusal(String.format("this side runs '%s', the other side '%s'", game, printable(other.game)),
                "give both the same test, -s or -a, and -q");
        }
    }

    private static String printable(final String text) {
        return text.replaceAll("[^ -~]", "?");
    }

    private static RdmaException refusal(final String detail, final String hint) {
        return RdmaException.of("perf").detail("%s", detail).errno(RdmaException.EINVAL).hint(hint).build();
    }
}
