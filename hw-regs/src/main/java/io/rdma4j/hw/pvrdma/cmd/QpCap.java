/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.pvrdma.cmd;

import io.rdma4j.hw.layout.Fields;
import io.rdma4j.hw.layout.Fields.IntField;
import io.rdma4j.hw.layout.Flyweight;
import io.rdma4j.hw.layout.Layout;

/**
 * Sizes of a queue pair, {@code struct pvrdma_qp_cap}.
 */
public final class QpCap extends Flyweight<QpCap> {
    private static final Fields<QpCap> F = Fields.of("pvrdma_qp_cap");

    /** The slots of the send queue, unsigned. */
    public static final IntField<QpCap> MAX_SEND_WR = F.u32("max_send_wr");
    /** The slots of the receive queue, unsigned. */
    public static final IntField<QpCap> MAX_RECV_WR = F.u32("max_recv_wr");
    /** The SGEs of a send, unsigned. */
    public static final IntField<QpCap> MAX_SEND_SGE = F.u32("max_send_sge");
    /** The SGEs of a receive, unsigned. */
    public static final IntField<QpCap> MAX_RECV_SGE = F.u32("max_recv_sge");
    /** The inline bytes of a send: 0, as the device has none. */
    public static final IntField<QpCap> MAX_INLINE_DATA = F.u32("max_inline_data");
    /** What the struct looks like. */
    public static final Layout LAYOUT = F.reserved(4).build();

    /** Creates a view that looks at nothing yet. */
    public QpCap() {
        super(LAYOUT);
    }
}
