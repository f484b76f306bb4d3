/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.pvrdma.cmd;

import io.rdma4j.hw.layout.Fields;
import io.rdma4j.hw.layout.Fields.IntField;
import io.rdma4j.hw.layout.Layout;

/**
 * CREATE_MW. An extension: the pvrdma interface has no command for memory windows.
 */
public final class CreateMwRequest extends CommandRequest<CreateMwRequest> {
    private static final Fields<CreateMwRequest> F = fields("rdma4j_cmd_create_mw");

    /** The protection domain's handle. */
    public static final IntField<CreateMwRequest> PD_HANDLE = F.u32("pd_handle");
    /** The type of the window: 1 or 2. */
    public static final IntField<CreateMwRequest> TYPE = F.u32("type");
    /** What the struct looks like. */
    public static final Layout LAYOUT = F.build();

    /** Creates a view that looks at nothing yet. */
    public CreateMwRequest() {
        super(LAYOUT);
    }
}
