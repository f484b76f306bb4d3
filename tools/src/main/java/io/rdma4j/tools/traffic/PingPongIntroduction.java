/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.traffic;

import io.rdma4j.RdmaException;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * What two processes tell each other before they play, as the private data of the connection: what each was asked for,
 * and the memory that the other has to reach.
 *
 * <pre>
 *   0  magic, with a version (4)        7  pieces of memory lent (1)
 *   4  operation (1)                    8  bytes of a message (4)
 *   5  1: validates (1)                12  for each piece of memory lent: address (8), rkey (4)
 *   6  zero (1)
 * </pre>
 *
 * @param operation what is played.
 * @param size      bytes of a message.
 * @param validates whether messages are written anew and checked.
 * @param memory    what it lends.
 */
record PingPongIntroduction(Operation operation, int size, boolean validates, List<RemoteMemory> memory) {
    private static final int MAGIC = 0x50_4f_4e_02;
    private static final int LENGTH = 12;
    private static final int LENT_LENGTH = 12;
    private static final int MAX_LENT = 8;

    static PingPongIntroduction of(final PingPongEnd end) {
        final PingPongOptions options = end.options();
        return new PingPongIntroduction(options.operation(), options.size(), options.validate(), end.turn().lends());
    }

    byte[] toBytes() {
        final ByteBuffer bytes = ByteBuffer.allocate(LENGTH + LENT_LENGTH * memory.size());
        bytes.putInt(MAGIC).put((byte) operation.ordinal()).put((byte) (validates ? 1 : 0)).put((byte) 0)
            .put((byte) memory.size()).putInt(size);
        memory.forEach(lent -> bytes.putLong(lent.address()).putInt(lent.rkey()));
        return bytes.array();
    }

    /**
     * Reads what the other process wrote, which may be any program.
     *
     * @throws RdmaException EINVAL if it is no introduction.
     */
    static PingPongIntroduction parse(final byte[] data) {
        final ByteBuffer bytes = ByteBuffer.wrap(data);
        if (data.length < LENGTH || bytes.getInt() != MAGIC) {
            throw refusal("the other process is no ping-pong of this version",
                "start rdma4j pingpong on both sides, in the same version");
        }
        final int operation = bytes.get();
        final boolean validates = bytes.get() != 0;
        bytes.get();
        final int pieces = bytes.get();
        final int size = bytes.getInt();
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
        return new PingPongIntroduction(operations[operation], size, validates, List.copyOf(memory));
    }

    /**
     * Checks that both can play together.
     *
     * @param other  the other side.
     * @throws RdmaException EINVAL if they were asked for different games.
     */
    void requireMatch(final PingPongIntroduction other) {
        if (!game().equals(other.game())) {
            throw refusal("this side plays " + game() + ", the other side " + other.game(),
                "give both the same --op, --size and --validate");
        }
    }

    private String game() {
        return "--op " + operation.option() + " --size " + size + (validates ? "" : " --no-validate");
    }

    private static RdmaException refusal(final String detail, final String hint) {
        return RdmaException.of("ping-pong").detail("%s", detail).errno(RdmaException.EINVAL).hint(hint).build();
    }
}
