/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric;

/** Kinds of endpoints (fi_endpoint), numbers of rdma/fabric.h. */
public enum EndpointType {
    /** Connected, reliable, one peer. */
    MSG(1),
    /** Datagrams. */
    DGRAM(2),
    /** Reliable datagrams: many peers. */
    RDM(3);

    private final int value;

    EndpointType(final int value) {
        this.value = value;
    }

    /**
     * The value in libfabric's headers.
     *
     * @return a number.
     */
    public int value() {
        return value;
    }
}
