/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.pvrdma.cmd;

import io.rdma4j.hw.layout.Layout;
import io.rdma4j.hw.pvrdma.AccessFlags;
import io.rdma4j.hw.pvrdma.QpType;

/**
 * CREATE_QP, {@code struct pvrdma_cmd_create_qp}. The answer is a {@link CreateQpResult}, whose layout depends on the
 * device version.
 */
public final class CreateQpRequest extends CommandRequest<CreateQpRequest> {
    /** Offset of {@code pdir_dma}. */
    public static final int PDIR_DMA_OFFSET = CommandHeader.LENGTH;
    /** Offset of {@code pd_handle}. */
    public static final int PD_OFFSET = PDIR_DMA_OFFSET + 8;
    /** Offset of {@code send_cq_handle}. */
    public static final int SEND_CQ_OFFSET = PD_OFFSET + 4;
    /** Offset of {@code recv_cq_handle}. */
    public static final int RECV_CQ_OFFSET = SEND_CQ_OFFSET + 4;
    /** Offset of {@code srq_handle}. */
    public static final int SRQ_OFFSET = RECV_CQ_OFFSET + 4;
    /** Offset of {@code max_send_wr}. */
    public static final int MAX_SEND_WR_OFFSET = SRQ_OFFSET + 4;
    /** Offset of {@code max_recv_wr}. */
    public static final int MAX_RECV_WR_OFFSET = MAX_SEND_WR_OFFSET + 4;
    /** Offset of {@code max_send_sge}. */
    public static final int MAX_SEND_SGE_OFFSET = MAX_RECV_WR_OFFSET + 4;
    /** Offset of {@code max_recv_sge}. */
    public static final int MAX_RECV_SGE_OFFSET = MAX_SEND_SGE_OFFSET + 4;
    /** Offset of {@code max_inline_data}. */
    public static final int MAX_INLINE_DATA_OFFSET = MAX_RECV_SGE_OFFSET + 4;
    /** Offset of {@code lkey}. */
    public static final int LKEY_OFFSET = MAX_INLINE_DATA_OFFSET + 4;
    /** Offset of {@code access_flags}. */
    public static final int ACCESS_OFFSET = LKEY_OFFSET + 4;
    /** Offset of {@code total_chunks}. */
    public static final int TOTAL_CHUNKS_OFFSET = ACCESS_OFFSET + 4;
    /** Offset of {@code send_chunks}. */
    public static final int SEND_CHUNKS_OFFSET = TOTAL_CHUNKS_OFFSET + 2;
    /** Offset of {@code max_atomic_arg}. */
    public static final int MAX_ATOMIC_ARG_OFFSET = SEND_CHUNKS_OFFSET + 2;
    /** Offset of {@code sq_sig_all}. */
    public static final int SQ_SIG_ALL_OFFSET = MAX_ATOMIC_ARG_OFFSET + 2;
    /** Offset of {@code qp_type}. */
    public static final int QP_TYPE_OFFSET = SQ_SIG_ALL_OFFSET + 1;
    /** Offset of {@code is_srq}. */
    public static final int IS_SRQ_OFFSET = QP_TYPE_OFFSET + 1;
    /** Bytes of the struct. */
    public static final int LENGTH = IS_SRQ_OFFSET + 4;

    /** What the struct looks like. */
    public static final Layout LAYOUT = Layout.of("pvrdma_cmd_create_qp", LENGTH)
        .nested("hdr", 0, CommandHeader.LAYOUT)
        .u64("pdir_dma", PDIR_DMA_OFFSET)
        .u32("pd_handle", PD_OFFSET)
        .u32("send_cq_handle", SEND_CQ_OFFSET)
        .u32("recv_cq_handle", RECV_CQ_OFFSET)
        .u32("srq_handle", SRQ_OFFSET)
        .u32("max_send_wr", MAX_SEND_WR_OFFSET)
        .u32("max_recv_wr", MAX_RECV_WR_OFFSET)
        .u32("max_send_sge", MAX_SEND_SGE_OFFSET)
        .u32("max_recv_sge", MAX_RECV_SGE_OFFSET)
        .u32("max_inline_data", MAX_INLINE_DATA_OFFSET)
        .u32("lkey", LKEY_OFFSET)
        .u32("access_flags", ACCESS_OFFSET, AccessFlags::name)
        .u16("total_chunks", TOTAL_CHUNKS_OFFSET)
        .u16("send_chunks", SEND_CHUNKS_OFFSET)
        .u16("max_atomic_arg", MAX_ATOMIC_ARG_OFFSET)
        .u8("sq_sig_all", SQ_SIG_ALL_OFFSET)
        .u8("qp_type", QP_TYPE_OFFSET, QpType::name)
        .u8("is_srq", IS_SRQ_OFFSET)
        .reserved(3)
        .build();

    /** Creates a view that looks at nothing yet. */
    public CreateQpRequest() {
    }

    @Override
    public Layout layout() {
        return LAYOUT;
    }

    /** {@return the bus address of the page directory} */
    public long pdirDma() {
        return u64(PDIR_DMA_OFFSET);
    }

    /** {@return this, with {@code pdir_dma} set}
     * @param value the bus address of the page directory */
    public CreateQpRequest pdirDma(long value) {
        return u64(PDIR_DMA_OFFSET, value);
    }

    /** {@return the protection domain's handle} */
    public int pd() {
        return u32(PD_OFFSET);
    }

    /** {@return this, with {@code pd_handle} set}
     * @param value the protection domain's handle */
    public CreateQpRequest pd(int value) {
        return u32(PD_OFFSET, value);
    }

    /** {@return the CQ for sends} */
    public int sendCq() {
        return u32(SEND_CQ_OFFSET);
    }

    /** {@return this, with {@code send_cq_handle} set}
     * @param value the CQ for sends */
    public CreateQpRequest sendCq(int value) {
        return u32(SEND_CQ_OFFSET, value);
    }

    /** {@return the CQ for receives} */
    public int recvCq() {
        return u32(RECV_CQ_OFFSET);
    }

    /** {@return this, with {@code recv_cq_handle} set}
     * @param value the CQ for receives */
    public CreateQpRequest recvCq(int value) {
        return u32(RECV_CQ_OFFSET, value);
    }

    /** {@return the SRQ, if {@link #isSrq}} */
    public int srq() {
        return u32(SRQ_OFFSET);
    }

    /** {@return this, with {@code srq_handle} set}
     * @param value the SRQ, if {@link #isSrq} */
    public CreateQpRequest srq(int value) {
        return u32(SRQ_OFFSET, value);
    }

    /** {@return the slots of the send queue, a power of two} */
    public int maxSendWr() {
        return u32(MAX_SEND_WR_OFFSET);
    }

    /** {@return this, with {@code max_send_wr} set}
     * @param value the slots of the send queue, a power of two */
    public CreateQpRequest maxSendWr(int value) {
        return u32(MAX_SEND_WR_OFFSET, value);
    }

    /** {@return the slots of the receive queue, a power of two; 0 with an SRQ} */
    public int maxRecvWr() {
        return u32(MAX_RECV_WR_OFFSET);
    }

    /** {@return this, with {@code max_recv_wr} set}
     * @param value the slots of the receive queue, a power of two; 0 with an SRQ */
    public CreateQpRequest maxRecvWr(int value) {
        return u32(MAX_RECV_WR_OFFSET, value);
    }

    /** {@return the SGEs of a send, from which the device derives the stride} */
    public int maxSendSge() {
        return u32(MAX_SEND_SGE_OFFSET);
    }

    /** {@return this, with {@code max_send_sge} set}
     * @param value the SGEs of a send, from which the device derives the stride */
    public CreateQpRequest maxSendSge(int value) {
        return u32(MAX_SEND_SGE_OFFSET, value);
    }

    /** {@return the SGEs of a receive, from which the device derives the stride} */
    public int maxRecvSge() {
        return u32(MAX_RECV_SGE_OFFSET);
    }

    /** {@return this, with {@code max_recv_sge} set}
     * @param value the SGEs of a receive, from which the device derives the stride */
    public CreateQpRequest maxRecvSge(int value) {
        return u32(MAX_RECV_SGE_OFFSET, value);
    }

    /** {@return the inline bytes: always 0} */
    public int maxInlineData() {
        return u32(MAX_INLINE_DATA_OFFSET);
    }

    /** {@return this, with {@code max_inline_data} set}
     * @param value the inline bytes: always 0 */
    public CreateQpRequest maxInlineData(int value) {
        return u32(MAX_INLINE_DATA_OFFSET, value);
    }

    /** {@return a key that Linux leaves 0} */
    public int lkey() {
        return u32(LKEY_OFFSET);
    }

    /** {@return this, with {@code lkey} set}
     * @param value a key that Linux leaves 0 */
    public CreateQpRequest lkey(int value) {
        return u32(LKEY_OFFSET, value);
    }

    /** {@return the {@link io.rdma4j.hw.pvrdma.AccessFlags}, of which Linux sets LOCAL_WRITE} */
    public int access() {
        return u32(ACCESS_OFFSET);
    }

    /** {@return this, with {@code access_flags} set}
     * @param value the {@link io.rdma4j.hw.pvrdma.AccessFlags}, of which Linux sets LOCAL_WRITE */
    public CreateQpRequest access(int value) {
        return u32(ACCESS_OFFSET, value);
    }

    /** {@return all pages, state page included} */
    public int totalChunks() {
        return u16(TOTAL_CHUNKS_OFFSET);
    }

    /** {@return this, with {@code total_chunks} set}
     * @param value all pages, state page included */
    public CreateQpRequest totalChunks(int value) {
        return u16(TOTAL_CHUNKS_OFFSET, value);
    }

    /** {@return the pages of the send queue, without the state page} */
    public int sendChunks() {
        return u16(SEND_CHUNKS_OFFSET);
    }

    /** {@return this, with {@code send_chunks} set}
     * @param value the pages of the send queue, without the state page */
    public CreateQpRequest sendChunks(int value) {
        return u16(SEND_CHUNKS_OFFSET, value);
    }

    /** {@return the longest operand of masked atomics} */
    public int maxAtomicArg() {
        return u16(MAX_ATOMIC_ARG_OFFSET);
    }

    /** {@return this, with {@code max_atomic_arg} set}
     * @param value the longest operand of masked atomics */
    public CreateQpRequest maxAtomicArg(int value) {
        return u16(MAX_ATOMIC_ARG_OFFSET, value);
    }

    /** {@return 1 if every send is to be completed} */
    public int sqSigAll() {
        return u8(SQ_SIG_ALL_OFFSET);
    }

    /** {@return this, with {@code sq_sig_all} set}
     * @param value 1 if every send is to be completed */
    public CreateQpRequest sqSigAll(int value) {
        return u8(SQ_SIG_ALL_OFFSET, value);
    }

    /** {@return the {@link io.rdma4j.hw.pvrdma.QpType}} */
    public int qpType() {
        return u8(QP_TYPE_OFFSET);
    }

    /** {@return this, with {@code qp_type} set}
     * @param value the {@link io.rdma4j.hw.pvrdma.QpType} */
    public CreateQpRequest qpType(int value) {
        return u8(QP_TYPE_OFFSET, value);
    }

    /** {@return 1 if receives come from an SRQ} */
    public int isSrq() {
        return u8(IS_SRQ_OFFSET);
    }

    /** {@return this, with {@code is_srq} set}
     * @param value 1 if receives come from an SRQ */
    public CreateQpRequest isSrq(int value) {
        return u8(IS_SRQ_OFFSET, value);
    }
}
