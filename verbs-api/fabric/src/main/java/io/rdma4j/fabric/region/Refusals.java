/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.region;

import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.FiErrno;

/** Begins of the exceptions that many classes here throw. */
final class Refusals {
    static final String REGISTER = "register memory";

    private Refusals() {
    }

    static FabricException.Builder of(
        final int errno, final String operation, final String format, final Object... values) {
        return FabricException.of(operation).detail(format, values).errno(errno);
    }

    static FabricException.Builder invalid(final String operation, final String format, final Object... values) {
        return of(FiErrno.FI_EINVAL, operation, format, values);
    }

    static FabricException.Builder closed(final String operation, final Object what) {
        return of(FiErrno.FI_EBADFD, operation, "%s is closed", what);
    }

    static <T> T notNull(final String operation, final String name, final T value) {
        if (value == null) {
            throw invalid(operation, "%s is null", name).build();
        }
        return value;
    }
}
