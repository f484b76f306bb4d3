/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.av;

import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.FiErrno;

import java.util.Locale;

/**
 * What is wrong with an address.
 *
 * @param errno number of {@link FiErrno}, positive.
 * @param text  object, value, limit.
 */
record Problem(int errno, String text) {
    static Problem invalid(final String format, final Object... values) {
        return new Problem(FiErrno.FI_EINVAL, String.format(Locale.ROOT, format, values));
    }

    static Problem of(final FabricException failure) {
        return new Problem(failure.errno(), failure.getMessage());
    }

    /** Whatever it is: each address has its error, and an asynchronous call its end. */
    static Problem of(final Throwable failure) {
        if (failure instanceof FabricException) {
            return of((FabricException) failure);
        }
        if (failure instanceof OutOfMemoryError) {
            return new Problem(FiErrno.FI_ENOMEM, failure.toString());
        }
        // Thus the JVM tells that a mapped file was truncated.
        return new Problem(failure instanceof InternalError ? FiErrno.FI_EIO : FiErrno.FI_EOTHER, failure.toString());
    }

    FabricException exception(final String operation) {
        return FabricException.of(operation).detail("%s", text).errno(errno).build();
    }
}
