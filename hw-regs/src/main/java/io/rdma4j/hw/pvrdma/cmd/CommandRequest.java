/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.pvrdma.cmd;

import io.rdma4j.hw.layout.Fields;
import io.rdma4j.hw.layout.Flyweight;
import io.rdma4j.hw.layout.Layout;

/**
 * A request in the command slot: a header and a body.
 *
 * @param <T> the view's own type
 */
public abstract class CommandRequest<T extends CommandRequest<T>> extends Flyweight<T> {

    CommandRequest(Layout layout) {
        super(layout);
    }

    /** Begins the fields of such a struct, its header first. */
    static <T extends CommandRequest<T>> Fields<T> fields(String name) {
        final Fields<T> fields = Fields.of(name);
        fields.struct("hdr", CommandHeader.LAYOUT, CommandHeader::new);
        return fields;
    }

    /** {@return the header: a view of its own} */
    public final CommandHeader header() {
        return new CommandHeader().wrap(buffer(), offset());
    }
}
