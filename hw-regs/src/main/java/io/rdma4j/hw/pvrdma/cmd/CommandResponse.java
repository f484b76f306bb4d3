/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.pvrdma.cmd;

import io.rdma4j.hw.layout.Flyweight;

/**
 * A response in the response slot: a header and a body.
 *
 * @param <T> the view's own type
 */
public abstract class CommandResponse<T extends CommandResponse<T>> extends Flyweight<T> {

    /** Creates a view that looks at nothing yet. */
    protected CommandResponse() {
    }

    /** {@return the header: a view of its own} */
    public final ResponseHeader header() {
        return new ResponseHeader().wrap(buffer(), offset());
    }
}
