/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric;

/** Who may use the objects of a domain at the same time (threading of fi_domain), numbers of rdma/fabric.h. */
public enum Threading {
    /** Any number of threads. */
    SAFE(1),
    /** One thread at a time for each object. */
    FID(2),
    /** One thread at a time for each domain. */
    DOMAIN(3),
    /** One thread at a time for each completion queue and the endpoints that are bound to it. */
    COMPLETION(4),
    /** One thread at a time for each endpoint. */
    ENDPOINT(5);

    private final int value;

    Threading(final int value) {
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
