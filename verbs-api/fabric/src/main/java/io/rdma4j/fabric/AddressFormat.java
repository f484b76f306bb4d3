/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric;

/** How addresses of endpoints are written: addr_format of fi_getinfo, numbers of rdma/fabric.h. */
public enum AddressFormat {
    /** The device's own: GID, queue pair number, queue key. FI_FORMAT_UNSPEC. */
    DEVICE(0),
    /** IPv4 address and port. */
    SOCKADDR_IN(2),
    /** IPv6 address and port. */
    SOCKADDR_IN6(3),
    /** Text. */
    STR(9);

    private final int value;

    AddressFormat(final int value) {
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
