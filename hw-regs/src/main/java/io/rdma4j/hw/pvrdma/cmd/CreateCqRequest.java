/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.pvrdma.cmd;

import io.rdma4j.hw.layout.Layout;

/**
 * CREATE_CQ, {@code struct pvrdma_cmd_create_cq}.
 */
public final class CreateCqRequest extends CommandRequest<CreateCqRequest> {
    /** Offset of {@code pdir_dma}. */
    public static final int PDIR_DMA_OFFSET = CommandHeader.LENGTH;
    /** Offset of {@code ctx_handle}. */
    public static final int CTX_HANDLE_OFFSET = PDIR_DMA_OFFSET + 8;
    /** Offset of {@code cqe}. */
    public static final int CQE_OFFSET = CTX_HANDLE_OFFSET + 4;
    /** Offset of {@code nchunks}. */
    public static final int NCHUNKS_OFFSET = CQE_OFFSET + 4;
    /** Bytes of the struct. */
    public static final int LENGTH = NCHUNKS_OFFSET + 8;

    /** What the struct looks like. */
    public static final Layout LAYOUT = Layout.of("pvrdma_cmd_create_cq", LENGTH)
        .nested("hdr", 0, CommandHeader.LAYOUT)
        .u64("pdir_dma", PDIR_DMA_OFFSET)
        .u32("ctx_handle", CTX_HANDLE_OFFSET)
        .u32("cqe", CQE_OFFSET)
        .u32("nchunks", NCHUNKS_OFFSET)
        .reserved(4)
        .build();

    /** Creates a view that looks at nothing yet. */
    public CreateCqRequest() {
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
    public CreateCqRequest pdirDma(long value) {
        return u64(PDIR_DMA_OFFSET, value);
    }

    /** {@return the user context; 0 is the driver's own} */
    public int ctxHandle() {
        return u32(CTX_HANDLE_OFFSET);
    }

    /** {@return this, with {@code ctx_handle} set}
     * @param value the user context; 0 is the driver's own */
    public CreateCqRequest ctxHandle(int value) {
        return u32(CTX_HANDLE_OFFSET, value);
    }

    /** {@return the CQEs of the ring, a power of two} */
    public int cqe() {
        return u32(CQE_OFFSET);
    }

    /** {@return this, with {@code cqe} set}
     * @param value the CQEs of the ring, a power of two */
    public CreateCqRequest cqe(int value) {
        return u32(CQE_OFFSET, value);
    }

    /** {@return the pages of the ring, state page included} */
    public int nchunks() {
        return u32(NCHUNKS_OFFSET);
    }

    /** {@return this, with {@code nchunks} set}
     * @param value the pages of the ring, state page included */
    public CreateCqRequest nchunks(int value) {
        return u32(NCHUNKS_OFFSET, value);
    }
}
