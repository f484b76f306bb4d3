/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.pvrdma.cmd;

import io.rdma4j.hw.layout.Layout;
import io.rdma4j.hw.pvrdma.SrqAttrMask;

/**
 * MODIFY_SRQ, {@code struct pvrdma_cmd_modify_srq}.
 */
public final class ModifySrqRequest extends CommandRequest<ModifySrqRequest> {
    /** Offset of {@code srq_handle}. */
    public static final int SRQ_HANDLE_OFFSET = CommandHeader.LENGTH;
    /** Offset of {@code attr_mask}. */
    public static final int ATTR_MASK_OFFSET = SRQ_HANDLE_OFFSET + 4;
    /** Offset of {@code attrs}. */
    public static final int SRQ_ATTR_OFFSET = ATTR_MASK_OFFSET + 4;
    /** Bytes of the struct. */
    public static final int LENGTH = SRQ_ATTR_OFFSET + SrqAttr.LENGTH;

    /** What the struct looks like. */
    public static final Layout LAYOUT = Layout.of("pvrdma_cmd_modify_srq", LENGTH)
        .nested("hdr", 0, CommandHeader.LAYOUT)
        .u32("srq_handle", SRQ_HANDLE_OFFSET)
        .u32("attr_mask", ATTR_MASK_OFFSET, SrqAttrMask::name)
        .nested("attrs", SRQ_ATTR_OFFSET, SrqAttr.LAYOUT)
        .build();

    /** Creates a view that looks at nothing yet. */
    public ModifySrqRequest() {
    }

    @Override
    public Layout layout() {
        return LAYOUT;
    }

    /** {@return the SRQ's handle} */
    public int srqHandle() {
        return u32(SRQ_HANDLE_OFFSET);
    }

    /** {@return this, with {@code srq_handle} set}
     * @param value the SRQ's handle */
    public ModifySrqRequest srqHandle(int value) {
        return u32(SRQ_HANDLE_OFFSET, value);
    }

    /** {@return the {@link io.rdma4j.hw.pvrdma.SrqAttrMask}: which attributes to set} */
    public int attrMask() {
        return u32(ATTR_MASK_OFFSET);
    }

    /** {@return this, with {@code attr_mask} set}
     * @param value the {@link io.rdma4j.hw.pvrdma.SrqAttrMask}: which attributes to set */
    public ModifySrqRequest attrMask(int value) {
        return u32(ATTR_MASK_OFFSET, value);
    }

    /** {@return the attributes: a view of its own} */
    public SrqAttr srqAttr() {
        return new SrqAttr().wrap(buffer(), offset() + SRQ_ATTR_OFFSET);
    }
}
