/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.pvrdma.cmd;

import io.rdma4j.hw.layout.Fields;
import io.rdma4j.hw.layout.Fields.IntField;
import io.rdma4j.hw.layout.Fields.LongField;
import io.rdma4j.hw.layout.Layout;
import io.rdma4j.hw.pvrdma.AccessFlags;
import io.rdma4j.hw.pvrdma.QpType;

/**
 * CREATE_QP, {@code struct pvrdma_cmd_create_qp}. The answer is a {@link CreateQpResult}, whose layout depends on the
 * device version.
 */
public final class CreateQpRequest extends CommandRequest<CreateQpRequest> {
    private static final Fields<CreateQpRequest> F = fields("pvrdma_cmd_create_qp");

    /** The bus address of the page directory. */
    public static final LongField<CreateQpRequest> PDIR_DMA = F.u64("pdir_dma");
    /** The protection domain's handle. */
    public static final IntField<CreateQpRequest> PD_HANDLE = F.u32("pd_handle");
    /** The CQ for sends. */
    public static final IntField<CreateQpRequest> SEND_CQ_HANDLE = F.u32("send_cq_handle");
    /** The CQ for receives. */
    public static final IntField<CreateQpRequest> RECV_CQ_HANDLE = F.u32("recv_cq_handle");
    /** The SRQ, if {@link #IS_SRQ}. */
    public static final IntField<CreateQpRequest> SRQ_HANDLE = F.u32("srq_handle");
    /** The slots of the send queue, a power of two. */
    public static final IntField<CreateQpRequest> MAX_SEND_WR = F.u32("max_send_wr");
    /** The slots of the receive queue, a power of two; 0 with an SRQ. */
    public static final IntField<CreateQpRequest> MAX_RECV_WR = F.u32("max_recv_wr");
    /** The SGEs of a send, from which the device derives the stride. */
    public static final IntField<CreateQpRequest> MAX_SEND_SGE = F.u32("max_send_sge");
    /** The SGEs of a receive, from which the device derives the stride. */
    public static final IntField<CreateQpRequest> MAX_RECV_SGE = F.u32("max_recv_sge");
    /** The inline bytes: always 0. */
    public static final IntField<CreateQpRequest> MAX_INLINE_DATA = F.u32("max_inline_data");
    /** A key that Linux leaves 0. */
    public static final IntField<CreateQpRequest> LKEY = F.u32("lkey");
    /** The {@link io.rdma4j.hw.pvrdma.AccessFlags}, of which Linux sets LOCAL_WRITE. */
    public static final IntField<CreateQpRequest> ACCESS_FLAGS = F.u32("access_flags", AccessFlags.NAMES);
    /** All pages, state page included. */
    public static final IntField<CreateQpRequest> TOTAL_CHUNKS = F.u16("total_chunks");
    /** The pages of the send queue, without the state page. */
    public static final IntField<CreateQpRequest> SEND_CHUNKS = F.u16("send_chunks");
    /** The longest operand of masked atomics. */
    public static final IntField<CreateQpRequest> MAX_ATOMIC_ARG = F.u16("max_atomic_arg");
    /** 1 if every send is to be completed. */
    public static final IntField<CreateQpRequest> SQ_SIG_ALL = F.u8("sq_sig_all");
    /** The {@link io.rdma4j.hw.pvrdma.QpType}. */
    public static final IntField<CreateQpRequest> QP_TYPE = F.u8("qp_type", QpType.NAMES);
    /** 1 if receives come from an SRQ. */
    public static final IntField<CreateQpRequest> IS_SRQ = F.u8("is_srq");
    /** What the struct looks like. */
    public static final Layout LAYOUT = F.reserved(3).build();

    /** Creates a view that looks at nothing yet. */
    public CreateQpRequest() {
        super(LAYOUT);
    }
}
