/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.pvrdma.cmd;

import io.rdma4j.hw.layout.Fields;
import io.rdma4j.hw.layout.Fields.IntField;
import io.rdma4j.hw.layout.Fields.StructField;
import io.rdma4j.hw.layout.Layout;
import io.rdma4j.hw.pvrdma.SrqAttrMask;

/**
 * MODIFY_SRQ, {@code struct pvrdma_cmd_modify_srq}.
 */
public final class ModifySrqRequest extends CommandRequest<ModifySrqRequest> {
    private static final Fields<ModifySrqRequest> F = fields("pvrdma_cmd_modify_srq");

    /** The SRQ's handle. */
    public static final IntField<ModifySrqRequest> SRQ_HANDLE = F.u32("srq_handle");
    /** The {@link io.rdma4j.hw.pvrdma.SrqAttrMask}: which attributes to set. */
    public static final IntField<ModifySrqRequest> ATTR_MASK = F.u32("attr_mask", SrqAttrMask.NAMES);
    /** The attributes. */
    public static final StructField<ModifySrqRequest, SrqAttr> ATTRS = F.struct("attrs", SrqAttr.LAYOUT, SrqAttr::new);
    /** What the struct looks like. */
    public static final Layout LAYOUT = F.build();

    /** Creates a view that looks at nothing yet. */
    public ModifySrqRequest() {
        super(LAYOUT);
    }
}
