/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.pvrdma.cmd;

import io.rdma4j.hw.layout.Fields;
import io.rdma4j.hw.layout.Fields.IntField;
import io.rdma4j.hw.layout.Layout;

/**
 * Answer to CREATE_QP of a device from version 20 on, {@code struct pvrdma_cmd_create_qp_resp_v2}: the QP's handle is
 * not its number.
 */
public final class CreateQpResponseV2 extends CommandResponse<CreateQpResponseV2> {
    private static final Fields<CreateQpResponseV2> F = fields("pvrdma_cmd_create_qp_resp_v2");

    /** The number of the QP, by which peers know it. */
    public static final IntField<CreateQpResponseV2> QPN = F.u32("qpn");
    /** The handle of the QP, for commands and doorbells. */
    public static final IntField<CreateQpResponseV2> QP_HANDLE = F.u32("qp_handle");
    /** The slots of the send queue. */
    public static final IntField<CreateQpResponseV2> MAX_SEND_WR = F.u32("max_send_wr");
    /** The slots of the receive queue. */
    public static final IntField<CreateQpResponseV2> MAX_RECV_WR = F.u32("max_recv_wr");
    /** The SGEs of a send. */
    public static final IntField<CreateQpResponseV2> MAX_SEND_SGE = F.u32("max_send_sge");
    /** The SGEs of a receive. */
    public static final IntField<CreateQpResponseV2> MAX_RECV_SGE = F.u32("max_recv_sge");
    /** The inline bytes of a send. */
    public static final IntField<CreateQpResponseV2> MAX_INLINE_DATA = F.u32("max_inline_data");
    /** What the struct looks like. */
    public static final Layout LAYOUT = F.reserved(4).build();

    /** Creates a view that looks at nothing yet. */
    public CreateQpResponseV2() {
        super(LAYOUT);
    }
}
