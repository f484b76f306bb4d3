/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.name;

import io.rdma4j.fabric.AddressFormat;
import io.rdma4j.fabric.FabricAddress;

/** An endpoint that the name service of this node tells others about. Thread-safe. */
public interface Registration extends AutoCloseable {
    /**
     * The service.
     *
     * @return 1 to 65535: as asked for, or chosen.
     */
    int service();

    /**
     * The endpoint.
     *
     * @return in the device's own format.
     */
    FabricAddress device();

    /**
     * The address by which others find it.
     *
     * @param format SOCKADDR_IN, SOCKADDR_IN6, or STR for text; DEVICE for the endpoint's own.
     * @return an address of that format: of this node, with the service as port.
     * @throws io.rdma4j.fabric.FabricException FI_EADDRNOTAVAIL for SOCKADDR_IN if this node's name service listens at
     *                                          no address of IPv4.
     */
    FabricAddress address(AddressFormat format);

    /** Ends it, also if this thread was interrupted; never fails. Harmless when called again. */
    @Override
    void close();
}
