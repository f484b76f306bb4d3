/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.perf;

import io.rdma4j.RdmaException;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.UUID;

/**
 * What two processes tell each other before they begin, as the private data of each connection.
 *
 * <pre>
 *   0  magic, with a version (4)                        8  process (16)
 *   4  1: its device reaches no other process (1)      24  address of the memory lent (8)
 *   5  zero (1)                                        32  rkey (4)
 *   6  which connection (2)                            36  what both have to agree on, UTF-8
 * </pre>
 *
 * @param lane       which connection: 0 is the one for words.
 * @param game       what both have to agree on.
 * @param process    which process it is.
 * @param staysInside whether its device reaches devices of its own process only.
 * @param lent       what it lends.
 */
record Hello(int lane, String game, UUID process, boolean staysInside, Lent lent) {
    private static final UUID THIS_PROCESS = UUID.randomUUID();
    private static final int MAGIC = 0x50_46_31_01;
    private static final int LENGTH = 36;
    private static final int MAX_GAME = 200;
    /** Devices that are a part of the process that opened them. */
    private static final String EMULATED = "emulated:";

    static Hello of(final int lane, final PerfOptions options, final String device, final Lent lent) {
        return new Hello(lane, options.game(), THIS_PROCESS, device.startsWith(EMULATED), lent);
    }

    byte[] toBytes() {
        final byte[] text = game.getBytes(StandardCharsets.UTF_8);
        return ByteBuffer.allocate(LENGTH + text.length).putInt(MAGIC).put((byte) (staysInside ? 1 : 0)).put((byte) 0)
            .putShort((short) lane).putLong(process.getMostSignificantBits())
            .putLong(process.getLeastSignificantBits()).putLong(lent.address()).putInt(lent.rkey()).put(text).array();
    }

    /**
     * Reads what the other process wrote, which may be any program.
     *
     * @throws RdmaException EINVAL if it is no greeting.
     */
    static Hello parse(final byte[] data) {
        final ByteBuffer bytes = ByteBuffer.wrap(data);
        if (data.length < LENGTH || data.length > LENGTH + MAX_GAME || bytes.getInt() != MAGIC) {
            throw refusal("the other process is no perf of this version",
                "start rdma4j perf on both sides, in the same version");
        }
        final boolean inside = bytes.get() != 0;
        bytes.get();
        final int lane = bytes.getShort();
        final UUID process = new UUID(bytes.getLong(), bytes.getLong());
        final Lent lent = new Lent(bytes.getLong(), bytes.getInt());
        return new Hello(lane, new String(data, LENGTH, data.length - LENGTH, StandardCharsets.UTF_8), process, inside,
            lent);
    }

    /**
     * Checks that both fit.
     *
     * @throws RdmaException EINVAL if they were asked for different things; EOPNOTSUPP if they do not reach each other.
     */
    void requireMatch(final Hello other) {
        if (!game.equals(other.game) || lane != other.lane) {
            throw refusal(String.format("this side runs '%s', the other side '%s'", game, printable(other.game)),
                "give both the same test, -s or -a, and -q");
        }
        if (!process.equals(other.process) && (staysInside || other.staysInside)) {
            throw RdmaException.of("perf")
                .detail("an emulated device is a part of its process, and devices of other processes do not reach it")
                .errno(RdmaException.EOPNOTSUPP)
                .hint("leave --server and HOST out: both ends are in this process then; or take real devices on both "
                    + "sides, such as vfio:0000:0b:00.1")
                .build();
        }
    }

    private static String printable(final String text) {
        return text.replaceAll("[^ -~]", "?");
    }

    private static RdmaException refusal(final String detail, final String hint) {
        return RdmaException.of("perf").detail("%s", detail).errno(RdmaException.EINVAL).hint(hint).build();
    }
}
