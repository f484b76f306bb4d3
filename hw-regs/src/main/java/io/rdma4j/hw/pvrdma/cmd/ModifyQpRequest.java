/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.pvrdma.cmd;

import io.rdma4j.hw.layout.Layout;
import io.rdma4j.hw.pvrdma.QpAttrMask;

/**
 * MODIFY_QP, {@code struct pvrdma_cmd_modify_qp}: the longest request. Only a {@link ResponseHeader} answers.
 */
public final class ModifyQpRequest extends CommandRequest<ModifyQpRequest> {
    /** Offset of {@code qp_handle}. */
    public static final int QP_HANDLE_OFFSET = CommandHeader.LENGTH;
    /** Offset of {@code attr_mask}. */
    public static final int ATTR_MASK_OFFSET = QP_HANDLE_OFFSET + 4;
    /** Offset of {@code attrs}. */
    public static final int QP_ATTR_OFFSET = ATTR_MASK_OFFSET + 4;
    /** Bytes of the struct. */
    public static final int LENGTH = QP_ATTR_OFFSET + QpAttr.LENGTH;

    /** What the struct looks like. */
    public static final Layout LAYOUT = Layout.of("pvrdma_cmd_modify_qp", LENGTH)
        .nested("hdr", 0, CommandHeader.LAYOUT)
        .u32("qp_handle", QP_HANDLE_OFFSET)
        .u32("attr_mask", ATTR_MASK_OFFSET, QpAttrMask::name)
        .nested("attrs", QP_ATTR_OFFSET, QpAttr.LAYOUT)
        .build();

    /** Creates a view that looks at nothing yet. */
    public ModifyQpRequest() {
    }

    @Override
    public Layout layout() {
        return LAYOUT;
    }

    /** {@return the QP's handle} */
    public int qpHandle() {
        return u32(QP_HANDLE_OFFSET);
    }

    /** {@return this, with {@code qp_handle} set}
     * @param value the QP's handle */
    public ModifyQpRequest qpHandle(int value) {
        return u32(QP_HANDLE_OFFSET, value);
    }

    /** {@return the {@link io.rdma4j.hw.pvrdma.QpAttrMask}: which attributes to set} */
    public int attrMask() {
        return u32(ATTR_MASK_OFFSET);
    }

    /** {@return this, with {@code attr_mask} set}
     * @param value the {@link io.rdma4j.hw.pvrdma.QpAttrMask}: which attributes to set */
    public ModifyQpRequest attrMask(int value) {
        return u32(ATTR_MASK_OFFSET, value);
    }

    /** {@return the attributes: a view of its own} */
    public QpAttr qpAttr() {
        return new QpAttr().wrap(buffer(), offset() + QP_ATTR_OFFSET);
    }
}
