/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric;

/** Whether queues can run over (resource_mgmt of fi_domain), numbers of rdma/fabric.h. */
public enum ResourceManagement {
    /** The application takes care. */
    DISABLED(1),
    /** The provider takes care: operations return {@link FiErrno#FI_EAGAIN}. */
    ENABLED(2);

    private final int value;

    ResourceManagement(final int value) {
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
