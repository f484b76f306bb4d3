/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.pvrdma.cmd;

import io.rdma4j.hw.layout.Fields;
import io.rdma4j.hw.layout.Fields.IntField;
import io.rdma4j.hw.layout.Layout;

/**
 * Answer to CREATE_QP of a device before version 20, {@code struct pvrdma_cmd_create_qp_resp}: the QP's number is its
 * handle. {@link CreateQpResponseV2} is the later layout, {@link CreateQpResult} chooses.
 */
public final class CreateQpResponse extends CommandResponse<CreateQpResponse> {
    private static final Fields<CreateQpResponse> F = fields("pvrdma_cmd_create_qp_resp");

    /** The number of the QP, by which peers know it. */
    public static final IntField<CreateQpResponse> QPN = F.u32("qpn");
    /** The slots of the send queue. */
    public static final IntField<CreateQpResponse> MAX_SEND_WR = F.u32("max_send_wr");
    /** The slots of the receive queue. */
    public static final IntField<CreateQpResponse> MAX_RECV_WR = F.u32("max_recv_wr");
    /** The SGEs of a send. */
    public static final IntField<CreateQpResponse> MAX_SEND_SGE = F.u32("max_send_sge");
    /** The SGEs of a receive. */
    public static final IntField<CreateQpResponse> MAX_RECV_SGE = F.u32("max_recv_sge");
    /** The inline bytes of a send. */
    public static final IntField<CreateQpResponse> MAX_INLINE_DATA = F.u32("max_inline_data");
    /** What the struct looks like. */
    public static final Layout LAYOUT = F.build();

    /** Creates a view that looks at nothing yet. */
    public CreateQpResponse() {
        super(LAYOUT);
    }
}
