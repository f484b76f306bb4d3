/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.ibv;

import io.rdma4j.RdmaException;

/** Makes the exceptions of this package, all of one form. */
final class Errors {
    private Errors() {
    }

    static RdmaException invalid(
        final String operation, final IbvContext context, final String format, final Object... args) {
        return error(RdmaException.EINVAL, operation, context, format, args);
    }

    static RdmaException error(
        final int errno, final String operation, final IbvContext context, final String format,
        final Object... args) {
        return RdmaException.of(operation).device(context.address()).detail(format, args).errno(errno).build();
    }

    static RdmaException closed(final String operation, final IbvContext context, final Object what) {
        return error(RdmaException.EBADFD, operation, context, "%s is closed", what);
    }

    static <T> T notNull(final T value, final String operation, final IbvContext context, final String name) {
        if (value == null) {
            throw invalid(operation, context, "%s is null", name);
        }
        return value;
    }

    static void inRange(
        final long value, final long min, final long max, final String operation, final IbvContext context,
        final String name) {
        if (value < min || value > max) {
            throw invalid(operation, context, "%s is %d, allowed are %d to %d", name, value, min, max);
        }
    }

    /** The library refused, with this errno. */
    static RdmaException refused(
        final int errno, final String operation, final IbvContext context, final String function) {
        return RdmaException.of(operation)
            .device(context.address())
            .detail("%s refused", function)
            .errno(errno == 0 ? RdmaException.EIO : Math.abs(errno))
            .hint(errno == RdmaException.ENOMEM
                ? "the device has no more of them, or too little memory may be locked: see ulimit -l" : null)
            .build();
    }
}
