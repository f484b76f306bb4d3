/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.pvrdma.cmd;

import io.rdma4j.hw.layout.Fields;
import io.rdma4j.hw.layout.Fields.IntField;
import io.rdma4j.hw.layout.Fields.StructField;
import io.rdma4j.hw.layout.Layout;
import io.rdma4j.hw.pvrdma.QpAttrMask;

/**
 * MODIFY_QP, {@code struct pvrdma_cmd_modify_qp}: the longest request. Only a {@link ResponseHeader} answers.
 */
public final class ModifyQpRequest extends CommandRequest<ModifyQpRequest> {
    private static final Fields<ModifyQpRequest> F = fields("pvrdma_cmd_modify_qp");

    /** The QP's handle. */
    public static final IntField<ModifyQpRequest> QP_HANDLE = F.u32("qp_handle");
    /** The {@link io.rdma4j.hw.pvrdma.QpAttrMask}: which attributes to set. */
    public static final IntField<ModifyQpRequest> ATTR_MASK = F.u32("attr_mask", QpAttrMask.NAMES);
    /** The attributes. */
    public static final StructField<ModifyQpRequest, QpAttr> ATTRS = F.struct("attrs", QpAttr.LAYOUT, QpAttr::new);
    /** What the struct looks like. */
    public static final Layout LAYOUT = F.build();

    /** Creates a view that looks at nothing yet. */
    public ModifyQpRequest() {
        super(LAYOUT);
    }
}
