/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.pingpong;

import io.rdma4j.RdmaException;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * What two processes tell each other before they play, as the private data of the connection: what each was asked for,
 * and the memory that the other has to reach.
 *
 * <pre>
 *   0  magic, with a version (4)       16  process (16)
 *   4  operation (1)                   32  for each piece of memory lent: address (8), rkey (4)
 *   5  1: validates (1)
 *   6  1: its device reaches no other process (1)
 *   7  pieces of memory lent (1)
 *   8  bytes of a message (4)
 *  12  zero (4)
 * </pre>
 *
 * @param operation   what is played.
 * @param size        bytes of a message.
 * @param validates   whether messages are written anew and checked.
 * @param process     which process it is.
 * @param staysInside whether its device reaches devices of its own process only.
 * @param memory      what it lends.
 */
record Introduction(
    Operation operation, int size, boolean validates, UUID process, boolean staysInside, List<RemoteMemory> memory) {
    private static final UUID THIS_PROCESS = UUID.randomUUID();
    private static final int MAGIC = 0x50_4f_4e_01;
    private static final int LENGTH = 32;
    private static final int LENT_LENGTH = 12;
    private static final int MAX_LENT = 8;
    /** Devices that are a part of the process that opened them. */
    private static final String EMULATED = "emulated:";

    static Introduction of(final Player player) {
        final PingPongOptions options = player.end().options();
        return new Introduction(options.operation(), options.size(), options.validate(), THIS_PROCESS,
            player.end().context().address().startsWith(EMULATED), player.turn().lends());
    }

    byte[] toBytes() {
        final ByteBuffer bytes = ByteBuffer.allocate(LENGTH + LENT_LENGTH * memory.size());
        bytes.putInt(MAGIC).put((byte) operation.ordinal()).put(bit(validates)).put(bit(staysInside))
            .put((byte) memory.size()).putInt(size).putInt(0)
            .putLong(process.getMostSignificantBits()).putLong(process.getLeastSignificantBits());
        memory.forEach(lent -> bytes.putLong(lent.address()).putInt(lent.rkey()));
        return bytes.array();
    }

    private static byte bit(final boolean value) {
        return (byte) (value ? 1 : 0);
    }

    /**
     * Reads what the other process wrote, which may be any program.
     *
     * @throws RdmaException EINVAL if it is no introduction.
     */
    static Introduction parse(final byte[] data) {
        final ByteBuffer bytes = ByteBuffer.wrap(data);
        if (data.length < LENGTH || bytes.getInt() != MAGIC) {
            throw refusal("the other process is no ping-pong of this version",
                "start rdma4j pingpong on both sides, in the same version");
        }
        final int operation = bytes.get();
        final boolean validates = bytes.get() != 0;
        final boolean staysInside = bytes.get() != 0;
        final int pieces = bytes.get();
        final int size = bytes.getInt();
        bytes.getInt();
        final UUID process = new UUID(bytes.getLong(), bytes.getLong());
        final Operation[] operations = Operation.values();
        if (operation < 0 || operation >= operations.length || pieces < 0 || pieces > MAX_LENT
            || bytes.remaining() != LENT_LENGTH * pieces) {
            throw refusal("the other process introduced itself with " + data.length + " bytes that make no sense",
                "start rdma4j pingpong on both sides, in the same version");
        }
        final List<RemoteMemory> memory = new ArrayList<>();
        for (int i = 0; i < pieces; i++) {
            memory.add(new RemoteMemory(bytes.getLong(), bytes.getInt()));
        }
        return new Introduction(operations[operation], size, validates, process, staysInside, List.copyOf(memory));
    }

    /**
     * Checks that both can play together.
     *
     * @param other  the other side.
     * @param lender whether the other side has to lend memory.
     * @throws RdmaException EINVAL if they were asked for different games; EOPNOTSUPP if they do not reach each other.
     */
    void requireMatch(final Introduction other) {
        if (!game().equals(other.game())) {
            throw refusal("this side plays " + game() + ", the other side " + other.game(),
                "give both the same --op, --size and --validate");
        }
        if (!process.equals(other.process) && (staysInside || other.staysInside)) {
            throw RdmaException.of("ping-pong")
                .detail("an emulated device is a part of its process, and devices of other processes do not reach it")
                .errno(RdmaException.EOPNOTSUPP)
                .hint("play within one process: rdma4j pingpong -d emulated:a -d emulated:b; or take real devices on "
                    + "both sides, such as vfio:0000:0b:00.1")
                .build();
        }
    }

    private String game() {
        return String.format("--op %s --size %d%s", operation.option(), size, validates ? "" : " --no-validate");
    }

    private static RdmaException refusal(final String detail, final String hint) {
        return RdmaException.of("ping-pong").detail("%s", detail).errno(RdmaException.EINVAL).hint(hint).build();
    }
}
