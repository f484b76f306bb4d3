/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric;

/** Who makes operations go on (progress of fi_domain), numbers of rdma/fabric.h. */
public enum Progress {
    /** The provider, whatever the application does. */
    AUTO(1),
    /** The application, by reading completion queues and counters. */
    MANUAL(2);

    private final int value;

    Progress(final int value) {
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
