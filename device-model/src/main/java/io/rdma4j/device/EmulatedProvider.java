/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device;

import io.rdma4j.DeviceAddress;
import io.rdma4j.device.common.DeviceOptions;
import io.rdma4j.driver.pci.PciDevice;
import io.rdma4j.driver.pci.PciDeviceProvider;

import java.util.List;

/** Opens emulated devices: {@code emulated:name?option=value}. */
public final class EmulatedProvider implements PciDeviceProvider {
    private static final String SCHEME = "emulated";

    /** For {@link java.util.ServiceLoader}. */
    public EmulatedProvider() {
        // Stateless: open devices are registered by name, for the whole JVM.
    }

    @Override
    public String scheme() {
        return SCHEME;
    }

    @Override
    public String usage() {
        return "emulated:NAME?OPTION=VALUE - an emulated device in this JVM; options: "
            + String.join(", ", DeviceOptions.known());
    }

    @Override
    public List<DeviceAddress> list() {
        return List.of(DeviceAddress.parse(SCHEME + ":"));
    }

    @Override
    public PciDevice open(DeviceAddress address) {
        return EmulatedDevice.open(address);
    }
}
