/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric;

/** Kinds of address vectors (av_type of fi_domain), numbers of rdma/fabric.h. */
public enum AvType {
    /** Any. */
    UNSPEC(0),
    /** Addresses are handles. */
    MAP(1),
    /** Addresses are indices. */
    TABLE(2);

    private final int value;

    AvType(final int value) {
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
