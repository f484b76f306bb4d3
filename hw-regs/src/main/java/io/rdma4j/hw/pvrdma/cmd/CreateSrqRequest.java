/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.pvrdma.cmd;

import io.rdma4j.hw.layout.Layout;

/**
 * CREATE_SRQ, {@code struct pvrdma_cmd_create_srq}. The answer is a {@link HandleResponse}.
 */
public final class CreateSrqRequest extends CommandRequest<CreateSrqRequest> {
    /** Offset of {@code pdir_dma}. */
    public static final int PDIR_DMA_OFFSET = CommandHeader.LENGTH;
    /** Offset of {@code pd_handle}. */
    public static final int PD_OFFSET = PDIR_DMA_OFFSET + 8;
    /** Offset of {@code nchunks}. */
    public static final int NCHUNKS_OFFSET = PD_OFFSET + 4;
    /** Offset of {@code attrs}. */
    public static final int SRQ_ATTR_OFFSET = NCHUNKS_OFFSET + 4;
    /** Offset of {@code srq_type}. */
    public static final int TYPE_OFFSET = SRQ_ATTR_OFFSET + SrqAttr.LENGTH;
    /** Bytes of the struct. */
    public static final int LENGTH = TYPE_OFFSET + 8;

    /** What the struct looks like. */
    public static final Layout LAYOUT = Layout.of("pvrdma_cmd_create_srq", LENGTH)
        .nested("hdr", 0, CommandHeader.LAYOUT)
        .u64("pdir_dma", PDIR_DMA_OFFSET)
        .u32("pd_handle", PD_OFFSET)
        .u32("nchunks", NCHUNKS_OFFSET)
        .nested("attrs", SRQ_ATTR_OFFSET, SrqAttr.LAYOUT)
        .u8("srq_type", TYPE_OFFSET)
        .reserved(7)
        .build();

    /** Creates a view that looks at nothing yet. */
    public CreateSrqRequest() {
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
    public CreateSrqRequest pdirDma(long value) {
        return u64(PDIR_DMA_OFFSET, value);
    }

    /** {@return the protection domain's handle} */
    public int pd() {
        return u32(PD_OFFSET);
    }

    /** {@return this, with {@code pd_handle} set}
     * @param value the protection domain's handle */
    public CreateSrqRequest pd(int value) {
        return u32(PD_OFFSET, value);
    }

    /** {@return the pages of the ring, state page included} */
    public int nchunks() {
        return u32(NCHUNKS_OFFSET);
    }

    /** {@return this, with {@code nchunks} set}
     * @param value the pages of the ring, state page included */
    public CreateSrqRequest nchunks(int value) {
        return u32(NCHUNKS_OFFSET, value);
    }

    /** {@return the sizes: a view of its own} */
    public SrqAttr srqAttr() {
        return new SrqAttr().wrap(buffer(), offset() + SRQ_ATTR_OFFSET);
    }

    /** {@return the kind: 0, the basic one} */
    public int type() {
        return u8(TYPE_OFFSET);
    }

    /** {@return this, with {@code srq_type} set}
     * @param value the kind: 0, the basic one */
    public CreateSrqRequest type(int value) {
        return u8(TYPE_OFFSET, value);
    }
}
