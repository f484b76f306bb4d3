/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.pvrdma.cmd;

import io.rdma4j.hw.layout.Flyweight;
import io.rdma4j.hw.layout.Layout;

/**
 * What every request begins with, {@code struct pvrdma_cmd_hdr}.
 */
public final class CommandHeader extends Flyweight<CommandHeader> {
    /** Offset of {@code response}. */
    public static final int RESPONSE_OFFSET = 0;
    /** Offset of {@code cmd}. */
    public static final int CMD_OFFSET = RESPONSE_OFFSET + 8;
    /** Bytes of the struct. */
    public static final int LENGTH = CMD_OFFSET + 8;

    /** What the struct looks like. */
    public static final Layout LAYOUT = Layout.of("pvrdma_cmd_hdr", LENGTH)
        .u64("response", RESPONSE_OFFSET)
        .u32("cmd", CMD_OFFSET, CommandHeader::commandName)
        .reserved(4)
        .build();

    /** Creates a view that looks at nothing yet. */
    public CommandHeader() {
    }

    @Override
    public Layout layout() {
        return LAYOUT;
    }

    /** {@return the key that the device copies into its response} */
    public long response() {
        return u64(RESPONSE_OFFSET);
    }

    /** {@return this, with {@code response} set}
     * @param value the key that the device copies into its response */
    public CommandHeader response(long value) {
        return u64(RESPONSE_OFFSET, value);
    }

    /** {@return the {@link Command#id}} */
    public int cmd() {
        return u32(CMD_OFFSET);
    }

    /** {@return this, with {@code cmd} set}
     * @param value the {@link Command#id} */
    public CommandHeader cmd(int value) {
        return u32(CMD_OFFSET, value);
    }

    /** {@return this, with {@code cmd} set}
     * @param command whose id to set */
    public CommandHeader cmd(Command command) {
        return cmd(command.id());
    }

    private static String commandName(int id) {
        final Command command = Command.of(id);
        return command == null ? "unknown " + id : command.name();
    }
}
