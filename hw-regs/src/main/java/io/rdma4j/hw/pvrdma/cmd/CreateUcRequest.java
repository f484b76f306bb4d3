/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.pvrdma.cmd;

import io.rdma4j.hw.layout.Layout;

/**
 * CREATE_UC, {@code struct pvrdma_cmd_create_uc}. The page frame number has 32 bits before device version 19 and 64
 * from then on. The answer is a {@link HandleResponse}.
 */
public final class CreateUcRequest extends CommandRequest<CreateUcRequest> {
    /** Offset of {@code pfn64}. */
    public static final int PFN64_OFFSET = CommandHeader.LENGTH;
    /** Bytes of the struct. */
    public static final int LENGTH = PFN64_OFFSET + 8;

    /** What the struct looks like. */
    public static final Layout LAYOUT = Layout.of("pvrdma_cmd_create_uc", LENGTH)
        .nested("hdr", 0, CommandHeader.LAYOUT)
        .u64("pfn64", PFN64_OFFSET)
        .build();

    /** Creates a view that looks at nothing yet. */
    public CreateUcRequest() {
    }

    @Override
    public Layout layout() {
        return LAYOUT;
    }

    /** {@return the page frame number of the UAR page, from device version 19 on} */
    public long pfn64() {
        return u64(PFN64_OFFSET);
    }

    /** {@return this, with {@code pfn64} set}
     * @param value the page frame number of the UAR page, from device version 19 on */
    public CreateUcRequest pfn64(long value) {
        return u64(PFN64_OFFSET, value);
    }

    /** {@return the page frame number of the UAR page, before device version 19} */
    public int pfn() {
        return u32(PFN64_OFFSET);
    }

    /** {@return this, with {@code pfn} set and the four bytes behind it cleared}
     * @param value what to set */
    public CreateUcRequest pfn(int value) {
        return pfn64(Integer.toUnsignedLong(value));
    }
}
