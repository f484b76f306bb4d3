/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.pci;

import io.rdma4j.DeviceAddress;
import io.rdma4j.RdmaException;

import java.util.List;

/** Finds no device that this user may open. */
public final class LockedProvider implements PciDeviceProvider {
    /** The same each time. */
    public static final RdmaException REFUSAL = RdmaException.of("open device")
        .device("locked:1")
        .errno(RdmaException.EACCES)
        .hint("join the group that owns the device")
        .build();

    /** For the service loader. */
    public LockedProvider() {
        // Stateless.
    }

    @Override
    public String scheme() {
        return "locked";
    }

    @Override
    public String usage() {
        return "locked:N - a device that cannot be opened";
    }

    @Override
    public List<DeviceAddress> list() {
        return List.of();
    }

    @Override
    public PciDevice open(final DeviceAddress address) {
        throw REFUSAL;
    }
}
