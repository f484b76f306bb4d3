/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs;

/** The way to a peer's port, for datagrams. Immutable and thread-safe, apart from closing. */
public interface AddressHandle extends AutoCloseable {
    /**
     * The domain.
     *
     * @return the domain that the handle was created in.
     */
    ProtectionDomain pd();

    /**
     * Where it leads.
     *
     * @return the attributes that it was made of.
     */
    AhAttributes attributes();

    /**
     * Whether it was closed.
     *
     * @return true if so.
     */
    boolean isClosed();

    /** Gives the handle back. Requests that were posted with it are not affected. Harmless when called again. */
    @Override
    void close();
}
