/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.pvrdma.cmd;

import io.rdma4j.hw.layout.Fields;
import io.rdma4j.hw.layout.Fields.LongField;
import io.rdma4j.hw.layout.Layout;

/**
 * CREATE_UC, {@code struct pvrdma_cmd_create_uc}. The page frame number has 32 bits before device version 19 and 64
 * from then on. The answer is a {@link HandleResponse}.
 */
public final class CreateUcRequest extends CommandRequest<CreateUcRequest> {
    private static final Fields<CreateUcRequest> F = fields("pvrdma_cmd_create_uc");

    /** The page frame number of the UAR page, from device version 19 on. */
    public static final LongField<CreateUcRequest> PFN64 = F.u64("pfn64");
    /** What the struct looks like. */
    public static final Layout LAYOUT = F.build();

    /** Creates a view that looks at nothing yet. */
    public CreateUcRequest() {
        super(LAYOUT);
    }

    /** {@return the page frame number of the UAR page, before device version 19} */
    public int pfn() {
        return (int) get(PFN64);
    }

    /** {@return this, with {@code pfn} set and the four bytes behind it cleared}
     * @param value what to set */
    public CreateUcRequest pfn(int value) {
        return set(PFN64, Integer.toUnsignedLong(value));
    }
}
