/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.pvrdma.cmd;

import io.rdma4j.hw.layout.Flyweight;

/**
 * A request in the command slot: a header and a body.
 *
 * @param <T> the view's own type
 */
public abstract class CommandRequest<T extends CommandRequest<T>> extends Flyweight<T> {

    /** Creates a view that looks at nothing yet. */
    protected CommandRequest() {
    }

    /** {@return the header: a view of its own} */
    public final CommandHeader header() {
        return new CommandHeader().wrap(buffer(), offset());
    }
}
