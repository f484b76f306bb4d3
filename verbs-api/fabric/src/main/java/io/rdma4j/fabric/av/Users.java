/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.av;

import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.FiErrno;

import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;

/** Endpoints that use a vector, and whether it was closed. Thread-safe; the lock is held for moments only. */
final class Users {
    private final Set<Object> endpoints = Collections.newSetFromMap(new IdentityHashMap<>());
    private volatile boolean closed;

    synchronized void add(final Object endpoint) {
        requireOpen("bind address vector");
        endpoints.add(endpoint);
    }

    synchronized void remove(final Object endpoint) {
        endpoints.remove(endpoint);
    }

    boolean isClosed() {
        return closed;
    }

    void requireOpen(final String operation) {
        if (closed) {
            throw FabricException.of(operation).detail("the address vector is closed").errno(FiErrno.FI_EBADFD)
                .build();
        }
    }

    /** False if it was closed before. */
    synchronized boolean close() {
        if (closed) {
            return false;
        }
        if (!endpoints.isEmpty()) {
            throw FabricException.of("close address vector")
                .detail("%d endpoint(s) use it, such as %s", endpoints.size(), endpoints.iterator().next())
                .errno(FiErrno.FI_EBUSY).hint("close these first").build();
        }
        closed = true;
        return true;
    }
}
