/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.name;

import io.rdma4j.fabric.FabricException;

/** Failures of this package. */
final class NameFailures {
    static final String RESOLVE = "resolve address";

    private NameFailures() {
    }

    static FabricException of(
        final String operation, final int errno, final String hint, final String format, final Object... values) {
        return FabricException.of(operation).detail(format, values).errno(errno).hint(hint).build();
    }
}
