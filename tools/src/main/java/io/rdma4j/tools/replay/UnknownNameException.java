/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.replay;

import java.util.Collection;

/** A step names what was never made, or not on this device. */
final class UnknownNameException extends IllegalArgumentException {
    private static final long serialVersionUID = 1;
    private static final int SHOWN = 20;

    private final String name;

    UnknownNameException(final String name, final Collection<String> known) {
        super("nothing is called '" + name + "'; there are " + known.stream().limit(SHOWN).toList()
            + (known.size() > SHOWN ? " and " + (known.size() - SHOWN) + " more" : ""));
        this.name = name;
    }

    String name() {
        return name;
    }
}
