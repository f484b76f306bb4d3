/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.pvrdma.cmd;

import io.rdma4j.hw.layout.Fields;
import io.rdma4j.hw.layout.Fields.IntField;
import io.rdma4j.hw.layout.Fields.LongField;
import io.rdma4j.hw.layout.Flyweight;
import io.rdma4j.hw.layout.Layout;

/**
 * What every request begins with, {@code struct pvrdma_cmd_hdr}.
 */
public final class CommandHeader extends Flyweight<CommandHeader> {
    private static final Fields<CommandHeader> F = Fields.of("pvrdma_cmd_hdr");

    /** The key that the device copies into its response. */
    public static final LongField<CommandHeader> RESPONSE = F.u64("response");
    /** The {@link Command#id}. */
    public static final IntField<CommandHeader> CMD = F.u32("cmd", CommandHeader::commandName);
    /** What the struct looks like. */
    public static final Layout LAYOUT = F.reserved(4).build();

    /** Creates a view that looks at nothing yet. */
    public CommandHeader() {
        super(LAYOUT);
    }

    /** {@return this, with {@code cmd} set}
     * @param command whose id to set */
    public CommandHeader cmd(Command command) {
        return set(CMD, command.id());
    }

    private static String commandName(int id) {
        final Command command = Command.of(id);
        return command == null ? null : command.name();
    }
}
