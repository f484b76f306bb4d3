/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.pci;

import io.rdma4j.DeviceAddress;
import io.rdma4j.RdmaException;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.ServiceLoader;
import java.util.Set;

/**
 * Finds and opens PCI functions by {@link DeviceAddress}, through the providers on the class path. Thread-safe.
 */
public final class PciDevices {
    /** What a driver takes out of an address before it opens the device: here nobody knows these options. */
    public static final Set<String> DRIVER_OPTIONS = Set.of("gid", "timeout", "vectors");

    private PciDevices() {
    }

    /**
     * All providers on the class path.
     *
     * @return providers ordered by scheme.
     */
    public static List<PciDeviceProvider> providers() {
        final List<PciDeviceProvider> found = new ArrayList<>();
        ServiceLoader.load(PciDeviceProvider.class).forEach(found::add);
        found.sort(Comparator.comparing(PciDeviceProvider::scheme));
        return found;
    }

    /**
     * All devices that the providers can name.
     *
     * @return addresses, by provider.
     */
    public static List<DeviceAddress> list() {
        final List<DeviceAddress> addresses = new ArrayList<>();
        providers().forEach(provider -> addresses.addAll(provider.list()));
        return addresses;
    }

    /**
     * Opens a device.
     *
     * @param address its address.
     * @return the open device; the caller owns it.
     * @throws RdmaException ENODEV if no provider serves the scheme (the message lists those there are), else what the
     *                       provider says.
     */
    public static PciDevice open(final DeviceAddress address) {
        final List<PciDeviceProvider> providers = providers();
        for (final PciDeviceProvider provider : providers) {
            if (provider.scheme().equals(address.scheme())) {
                return provider.open(address);
            }
        }
        final StringBuilder known = new StringBuilder();
        for (final PciDeviceProvider provider : providers) {
            known.append(known.length() == 0 ? "" : ", ").append(provider.scheme()).append(':');
        }
        throw RdmaException.of("open device")
            .device(address)
            .detail("no provider for scheme '%s'", address.scheme())
            .errno(RdmaException.ENODEV)
            .hint("use one of: %s", known.length() == 0 ? "(no provider is on the class path)" : known)
            .build();
    }
}
