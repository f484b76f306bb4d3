/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.pvrdma.cmd;

import io.rdma4j.hw.layout.Fields;
import io.rdma4j.hw.layout.Fields.IntField;
import io.rdma4j.hw.layout.Layout;

/**
 * Answer to CREATE_MW.
 */
public final class CreateMwResponse extends CommandResponse<CreateMwResponse> {
    private static final Fields<CreateMwResponse> F = fields("rdma4j_cmd_create_mw_resp");

    /** The window's handle. */
    public static final IntField<CreateMwResponse> MW_HANDLE = F.u32("mw_handle");
    /** The first key of the window, which names nothing before it is bound. */
    public static final IntField<CreateMwResponse> RKEY = F.u32("rkey");
    /** What the struct looks like. */
    public static final Layout LAYOUT = F.build();

    /** Creates a view that looks at nothing yet. */
    public CreateMwResponse() {
        super(LAYOUT);
    }
}
