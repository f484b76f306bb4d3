/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.spi;

import io.rdma4j.DeviceAddress;
import io.rdma4j.verbs.DeviceInfo;
import io.rdma4j.verbs.RdmaContext;

import java.util.List;

/**
 * Opens RDMA devices of one kind. Found through {@link java.util.ServiceLoader}. Stateless towards callers and
 * thread-safe.
 */
public interface VerbsProvider {
    /**
     * The address schemes that this provider serves.
     *
     * @return schemes without colon.
     */
    List<String> schemes();

    /**
     * Whether an address is this provider's.
     *
     * @param address any device address.
     * @return true if {@link #open} is the one to ask.
     */
    boolean serves(DeviceAddress address);

    /**
     * Devices that could be opened now.
     *
     * @return devices, possibly none.
     */
    List<DeviceInfo> list();

    /**
     * Opens a device.
     *
     * @param address an address that this provider serves.
     * @return the open device; the caller owns it.
     * @throws io.rdma4j.RdmaException as {@link io.rdma4j.verbs.RdmaDevices#open} says.
     */
    RdmaContext open(DeviceAddress address);
}
