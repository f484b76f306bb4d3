/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.pvrdma.cmd;

import io.rdma4j.hw.layout.Layout;
import io.rdma4j.hw.pvrdma.AccessFlags;
import io.rdma4j.hw.pvrdma.MrFlags;

/**
 * CREATE_MR, {@code struct pvrdma_cmd_create_mr}.
 */
public final class CreateMrRequest extends CommandRequest<CreateMrRequest> {
    /** Offset of {@code start}. */
    public static final int START_OFFSET = CommandHeader.LENGTH;
    /** Offset of {@code length}. */
    public static final int LENGTH_OFFSET = START_OFFSET + 8;
    /** Offset of {@code pdir_dma}. */
    public static final int PDIR_DMA_OFFSET = LENGTH_OFFSET + 8;
    /** Offset of {@code pd_handle}. */
    public static final int PD_OFFSET = PDIR_DMA_OFFSET + 8;
    /** Offset of {@code access_flags}. */
    public static final int ACCESS_OFFSET = PD_OFFSET + 4;
    /** Offset of {@code flags}. */
    public static final int FLAGS_OFFSET = ACCESS_OFFSET + 4;
    /** Offset of {@code nchunks}. */
    public static final int NCHUNKS_OFFSET = FLAGS_OFFSET + 4;
    /** Bytes of the struct. */
    public static final int LENGTH = NCHUNKS_OFFSET + 4;

    /** What the struct looks like. */
    public static final Layout LAYOUT = Layout.of("pvrdma_cmd_create_mr", LENGTH)
        .nested("hdr", 0, CommandHeader.LAYOUT)
        .u64("start", START_OFFSET)
        .u64("length", LENGTH_OFFSET)
        .u64("pdir_dma", PDIR_DMA_OFFSET)
        .u32("pd_handle", PD_OFFSET)
        .u32("access_flags", ACCESS_OFFSET, AccessFlags::name)
        .u32("flags", FLAGS_OFFSET, MrFlags::name)
        .u32("nchunks", NCHUNKS_OFFSET)
        .build();

    /** Creates a view that looks at nothing yet. */
    public CreateMrRequest() {
    }

    @Override
    public Layout layout() {
        return LAYOUT;
    }

    /**
     * {@return the address of the first byte, as SGEs will name it; its low 12 bits are the offset in the first page}
     */
    public long start() {
        return u64(START_OFFSET);
    }

    /** {@return this, with {@code start} set}
     * @param value the address of the first byte, as SGEs will name it; its low 12 bits are the offset in the
     *     first page */
    public CreateMrRequest start(long value) {
        return u64(START_OFFSET, value);
    }

    /** {@return the bytes of the region, unsigned} */
    public long length() {
        return u64(LENGTH_OFFSET);
    }

    /** {@return this, with {@code length} set}
     * @param value the bytes of the region, unsigned */
    public CreateMrRequest length(long value) {
        return u64(LENGTH_OFFSET, value);
    }

    /** {@return the bus address of the page directory} */
    public long pdirDma() {
        return u64(PDIR_DMA_OFFSET);
    }

    /** {@return this, with {@code pdir_dma} set}
     * @param value the bus address of the page directory */
    public CreateMrRequest pdirDma(long value) {
        return u64(PDIR_DMA_OFFSET, value);
    }

    /** {@return the protection domain's handle} */
    public int pd() {
        return u32(PD_OFFSET);
    }

    /** {@return this, with {@code pd_handle} set}
     * @param value the protection domain's handle */
    public CreateMrRequest pd(int value) {
        return u32(PD_OFFSET, value);
    }

    /** {@return the {@link io.rdma4j.hw.pvrdma.AccessFlags}} */
    public int access() {
        return u32(ACCESS_OFFSET);
    }

    /** {@return this, with {@code access_flags} set}
     * @param value the {@link io.rdma4j.hw.pvrdma.AccessFlags} */
    public CreateMrRequest access(int value) {
        return u32(ACCESS_OFFSET, value);
    }

    /** {@return the {@link io.rdma4j.hw.pvrdma.MrFlags}, 0 for memory given by its pages} */
    public int flags() {
        return u32(FLAGS_OFFSET);
    }

    /** {@return this, with {@code flags} set}
     * @param value the {@link io.rdma4j.hw.pvrdma.MrFlags}, 0 for memory given by its pages */
    public CreateMrRequest flags(int value) {
        return u32(FLAGS_OFFSET, value);
    }

    /** {@return the pages spanned} */
    public int nchunks() {
        return u32(NCHUNKS_OFFSET);
    }

    /** {@return this, with {@code nchunks} set}
     * @param value the pages spanned */
    public CreateMrRequest nchunks(int value) {
        return u32(NCHUNKS_OFFSET, value);
    }
}
