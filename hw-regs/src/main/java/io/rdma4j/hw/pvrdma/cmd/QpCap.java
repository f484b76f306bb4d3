/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.pvrdma.cmd;

import io.rdma4j.hw.layout.Flyweight;
import io.rdma4j.hw.layout.Layout;

/**
 * Sizes of a queue pair, {@code struct pvrdma_qp_cap}.
 */
public final class QpCap extends Flyweight<QpCap> {
    /** Offset of {@code max_send_wr}. */
    public static final int MAX_SEND_WR_OFFSET = 0;
    /** Offset of {@code max_recv_wr}. */
    public static final int MAX_RECV_WR_OFFSET = MAX_SEND_WR_OFFSET + 4;
    /** Offset of {@code max_send_sge}. */
    public static final int MAX_SEND_SGE_OFFSET = MAX_RECV_WR_OFFSET + 4;
    /** Offset of {@code max_recv_sge}. */
    public static final int MAX_RECV_SGE_OFFSET = MAX_SEND_SGE_OFFSET + 4;
    /** Offset of {@code max_inline_data}. */
    public static final int MAX_INLINE_DATA_OFFSET = MAX_RECV_SGE_OFFSET + 4;
    /** Bytes of the struct. */
    public static final int LENGTH = MAX_INLINE_DATA_OFFSET + 8;

    /** What the struct looks like. */
    public static final Layout LAYOUT = Layout.of("pvrdma_qp_cap", LENGTH)
        .u32("max_send_wr", MAX_SEND_WR_OFFSET)
        .u32("max_recv_wr", MAX_RECV_WR_OFFSET)
        .u32("max_send_sge", MAX_SEND_SGE_OFFSET)
        .u32("max_recv_sge", MAX_RECV_SGE_OFFSET)
        .u32("max_inline_data", MAX_INLINE_DATA_OFFSET)
        .reserved(4)
        .build();

    /** Creates a view that looks at nothing yet. */
    public QpCap() {
    }

    @Override
    public Layout layout() {
        return LAYOUT;
    }

    /** {@return the slots of the send queue, unsigned} */
    public int maxSendWr() {
        return u32(MAX_SEND_WR_OFFSET);
    }

    /** {@return this, with {@code max_send_wr} set}
     * @param value the slots of the send queue, unsigned */
    public QpCap maxSendWr(int value) {
        return u32(MAX_SEND_WR_OFFSET, value);
    }

    /** {@return the slots of the receive queue, unsigned} */
    public int maxRecvWr() {
        return u32(MAX_RECV_WR_OFFSET);
    }

    /** {@return this, with {@code max_recv_wr} set}
     * @param value the slots of the receive queue, unsigned */
    public QpCap maxRecvWr(int value) {
        return u32(MAX_RECV_WR_OFFSET, value);
    }

    /** {@return the SGEs of a send, unsigned} */
    public int maxSendSge() {
        return u32(MAX_SEND_SGE_OFFSET);
    }

    /** {@return this, with {@code max_send_sge} set}
     * @param value the SGEs of a send, unsigned */
    public QpCap maxSendSge(int value) {
        return u32(MAX_SEND_SGE_OFFSET, value);
    }

    /** {@return the SGEs of a receive, unsigned} */
    public int maxRecvSge() {
        return u32(MAX_RECV_SGE_OFFSET);
    }

    /** {@return this, with {@code max_recv_sge} set}
     * @param value the SGEs of a receive, unsigned */
    public QpCap maxRecvSge(int value) {
        return u32(MAX_RECV_SGE_OFFSET, value);
    }

    /** {@return the inline bytes of a send: 0, as the device has none} */
    public int maxInlineData() {
        return u32(MAX_INLINE_DATA_OFFSET);
    }

    /** {@return this, with {@code max_inline_data} set}
     * @param value the inline bytes of a send: 0, as the device has none */
    public QpCap maxInlineData(int value) {
        return u32(MAX_INLINE_DATA_OFFSET, value);
    }
}
