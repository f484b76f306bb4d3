/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.pvrdma.cmd;

import io.rdma4j.hw.layout.Fields;
import io.rdma4j.hw.layout.Fields.IntField;
import io.rdma4j.hw.layout.Layout;

/**
 * Answer to DESTROY_QP, {@code struct pvrdma_cmd_destroy_qp_resp}. Nobody waits for it.
 */
public final class DestroyQpResponse extends CommandResponse<DestroyQpResponse> {
    private static final Fields<DestroyQpResponse> F = fields("pvrdma_cmd_destroy_qp_resp");

    /** The asynchronous events that the QP had. */
    public static final IntField<DestroyQpResponse> EVENTS_REPORTED = F.u32("events_reported");
    /** What the struct looks like. */
    public static final Layout LAYOUT = F.reserved(4).build();

    /** Creates a view that looks at nothing yet. */
    public DestroyQpResponse() {
        super(LAYOUT);
    }
}
