/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric;

/** Checks of arguments that many types here need. */
final class Arguments {
    private Arguments() {
    }

    static <T> T notNull(final String operation, final String name, final T value) {
        if (value == null) {
            throw FabricException.of(operation).detail("%s is null", name).errno(FiErrno.FI_EINVAL).build();
        }
        return value;
    }

    /** For collections, which hold no null either. */
    static <T, C extends Iterable<T>> C allNotNull(final String operation, final String name, final C values) {
        for (final T value : notNull(operation, name, values)) {
            if (value == null) {
                throw FabricException.of(operation).detail("%s has null in it", name).errno(FiErrno.FI_EINVAL).build();
            }
        }
        return values;
    }
}
