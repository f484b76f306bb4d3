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
 * What every response begins with, {@code struct pvrdma_cmd_resp_hdr}.
 */
public final class ResponseHeader extends Flyweight<ResponseHeader> {
    private static final Fields<ResponseHeader> F = Fields.of("pvrdma_cmd_resp_hdr");

    /** The key of the request. */
    public static final LongField<ResponseHeader> RESPONSE = F.u64("response");
    /** The {@link Command#ack} of the command answered. */
    public static final IntField<ResponseHeader> ACK = F.u32("ack", ResponseHeader::ackName);
    /** The device's errno, 0 for none; the ERR register decides, this only explains. */
    public static final IntField<ResponseHeader> ERR = F.u8("err");
    /** What the struct looks like. */
    public static final Layout LAYOUT = F.reserved(3).build();

    /** Creates a view that looks at nothing yet. */
    public ResponseHeader() {
        super(LAYOUT);
    }

    private static String ackName(int ack) {
        final Command command = Command.of(ack & ~Command.ACK_FLAG);
        return command == null || command.ack() != ack ? null : command.name();
    }
}
