/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.pvrdma.cmd;

import io.rdma4j.hw.layout.Layout;

/**
 * RESIZE_CQ_RING: a completion queue moves into another ring. An extension: RESIZE_CQ of the pvrdma interface has no
 * field for memory.
 */
public final class ResizeCqRingRequest extends CommandRequest<ResizeCqRingRequest> {
    /** Offset of {@code pdir_dma}. */
    public static final int PDIR_DMA_OFFSET = CommandHeader.LENGTH;
    /** Offset of {@code cq_handle}. */
    public static final int CQ_HANDLE_OFFSET = PDIR_DMA_OFFSET + 8;
    /** Offset of {@code cqe}. */
    public static final int CQE_OFFSET = CQ_HANDLE_OFFSET + 4;
    /** Offset of {@code nchunks}. */
    public static final int NCHUNKS_OFFSET = CQE_OFFSET + 4;
    /** Bytes of the struct. */
    public static final int LENGTH = NCHUNKS_OFFSET + 8;

    /** What the struct looks like. */
    public static final Layout LAYOUT = Layout.of("rdma4j_cmd_resize_cq_ring", LENGTH)
        .nested("hdr", 0, CommandHeader.LAYOUT)
        .u64("pdir_dma", PDIR_DMA_OFFSET)
        .u32("cq_handle", CQ_HANDLE_OFFSET)
        .u32("cqe", CQE_OFFSET)
        .u32("nchunks", NCHUNKS_OFFSET)
        .reserved(4)
        .build();

    /** Creates a view that looks at nothing yet. */
    public ResizeCqRingRequest() {
    }

    @Override
    public Layout layout() {
        return LAYOUT;
    }

    /** {@return the bus address of the directory of the new ring, its state page first} */
    public long pdirDma() {
        return u64(PDIR_DMA_OFFSET);
    }

    /** {@return this, with {@code pdir_dma} set}
     * @param value the bus address of the directory of the new ring, its state page first */
    public ResizeCqRingRequest pdirDma(long value) {
        return u64(PDIR_DMA_OFFSET, value);
    }

    /** {@return the CQ's handle} */
    public int cqHandle() {
        return u32(CQ_HANDLE_OFFSET);
    }

    /** {@return this, with {@code cq_handle} set}
     * @param value the CQ's handle */
    public ResizeCqRingRequest cqHandle(int value) {
        return u32(CQ_HANDLE_OFFSET, value);
    }

    /** {@return the CQEs wanted} */
    public int cqe() {
        return u32(CQE_OFFSET);
    }

    /** {@return this, with {@code cqe} set}
     * @param value the CQEs wanted */
    public ResizeCqRingRequest cqe(int value) {
        return u32(CQE_OFFSET, value);
    }

    /** {@return the pages of the new ring, the state page included} */
    public int nchunks() {
        return u32(NCHUNKS_OFFSET);
    }

    /** {@return this, with {@code nchunks} set}
     * @param value the pages of the new ring, the state page included */
    public ResizeCqRingRequest nchunks(int value) {
        return u32(NCHUNKS_OFFSET, value);
    }
}
