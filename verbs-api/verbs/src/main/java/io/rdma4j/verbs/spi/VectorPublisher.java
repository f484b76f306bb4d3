/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.spi;

import io.rdma4j.verbs.RdmaContext;

/**
 * What a context implements that lets other processes see address vectors over it. Those who keep one ask for it with
 * {@link #of}, and need not know whether there is one.
 */
public interface VectorPublisher {
    /** Lets nobody see anything. */
    VectorPublisher NONE = (type, flags) -> PublishedVector.NONE;

    /**
     * What a context has.
     *
     * @param context any; also null.
     * @return never null.
     */
    static VectorPublisher of(final RdmaContext context) {
        return context instanceof VectorPublisher ? (VectorPublisher) context : NONE;
    }

    /**
     * Publishes an address vector.
     *
     * @param type  the number of its type in libfabric's headers.
     * @param flags bits: 1 asynchronous, 2 for reading only, 4 symmetric.
     * @return to be closed with the vector.
     */
    PublishedVector publishVector(int type, int flags);
}
