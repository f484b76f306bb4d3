/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.pvrdma.cmd;

import io.rdma4j.hw.layout.Flyweight;
import io.rdma4j.hw.layout.Layout;

/**
 * What every response begins with, {@code struct pvrdma_cmd_resp_hdr}.
 */
public final class ResponseHeader extends Flyweight<ResponseHeader> {
    /** Offset of {@code response}. */
    public static final int RESPONSE_OFFSET = 0;
    /** Offset of {@code ack}. */
    public static final int ACK_OFFSET = RESPONSE_OFFSET + 8;
    /** Offset of {@code err}. */
    public static final int ERR_OFFSET = ACK_OFFSET + 4;
    /** Bytes of the struct. */
    public static final int LENGTH = ERR_OFFSET + 4;

    /** What the struct looks like. */
    public static final Layout LAYOUT = Layout.of("pvrdma_cmd_resp_hdr", LENGTH)
        .u64("response", RESPONSE_OFFSET)
        .u32("ack", ACK_OFFSET, ResponseHeader::ackName)
        .u8("err", ERR_OFFSET)
        .reserved(3)
        .build();

    /** Creates a view that looks at nothing yet. */
    public ResponseHeader() {
    }

    @Override
    public Layout layout() {
        return LAYOUT;
    }

    /** {@return the key of the request} */
    public long response() {
        return u64(RESPONSE_OFFSET);
    }

    /** {@return this, with {@code response} set}
     * @param value the key of the request */
    public ResponseHeader response(long value) {
        return u64(RESPONSE_OFFSET, value);
    }

    /** {@return the {@link Command#ack} of the command answered} */
    public int ack() {
        return u32(ACK_OFFSET);
    }

    /** {@return this, with {@code ack} set}
     * @param value the {@link Command#ack} of the command answered */
    public ResponseHeader ack(int value) {
        return u32(ACK_OFFSET, value);
    }

    /** {@return the device's errno, 0 for none; the ERR register decides, this only explains} */
    public int err() {
        return u8(ERR_OFFSET);
    }

    /** {@return this, with {@code err} set}
     * @param value the device's errno, 0 for none; the ERR register decides, this only explains */
    public ResponseHeader err(int value) {
        return u8(ERR_OFFSET, value);
    }

    private static String ackName(int ack) {
        final Command command = Command.of(ack & ~Command.ACK_FLAG);
        return command == null || command.ack() != ack ? "unknown " + Integer.toHexString(ack) : command.name();
    }
}
