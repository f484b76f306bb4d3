/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.pvrdma.cmd;

import io.rdma4j.hw.layout.Fields;
import io.rdma4j.hw.layout.Flyweight;
import io.rdma4j.hw.layout.Layout;

/**
 * A response in the response slot: a header and a body.
 *
 * @param <T> the view's own type
 */
public abstract class CommandResponse<T extends CommandResponse<T>> extends Flyweight<T> {

    CommandResponse(Layout layout) {
        super(layout);
    }

    /** Begins the fields of such a struct, its header first. */
    static <T extends CommandResponse<T>> Fields<T> fields(String name) {
        final Fields<T> fields = Fields.of(name);
        fields.struct("hdr", ResponseHeader.LAYOUT, ResponseHeader::new);
        return fields;
    }

    /** {@return the header: a view of its own} */
    public final ResponseHeader header() {
        return new ResponseHeader().wrap(buffer(), offset());
    }
}
