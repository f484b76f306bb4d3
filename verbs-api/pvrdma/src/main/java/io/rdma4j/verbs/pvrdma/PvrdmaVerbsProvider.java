/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import io.rdma4j.DeviceAddress;
import io.rdma4j.base.Undo;
import io.rdma4j.driver.pci.PciDeviceProvider;
import io.rdma4j.driver.pci.PciDevices;
import io.rdma4j.hw.pvrdma.Bar1;
import io.rdma4j.verbs.DeviceInfo;
import io.rdma4j.verbs.Gid;
import io.rdma4j.verbs.RdmaContext;
import io.rdma4j.verbs.pvrdma.device.PvrdmaDevice;
import io.rdma4j.verbs.pvrdma.device.PvrdmaOptions;
import io.rdma4j.verbs.spi.VerbsProvider;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * Opens pvrdma devices, wherever a {@link PciDeviceProvider} finds them. Of the options in an address these are its
 * own, the others are the PCI provider's:
 *
 * <ul>
 *   <li>{@code gid}: the GID to bind at index 0, instead of the link-local one of the device's GUID.
 *   <li>{@code timeout}: how long a command may take, in milliseconds.
 *   <li>{@code vectors}: interrupt vectors to ask for, 0 to 3; with 0 the driver polls.
 * </ul>
 */
public final class PvrdmaVerbsProvider implements VerbsProvider {
    private static final String GID = "gid";
    private static final String TIMEOUT = "timeout";
    private static final String VECTORS = "vectors";
    private static final long MAX_TIMEOUT_MILLIS = TimeUnit.HOURS.toMillis(1);

    /** For {@link java.util.ServiceLoader}. */
    public PvrdmaVerbsProvider() {
        // Stateless.
    }

    @Override
    public List<String> schemes() {
        return PciDevices.providers().stream().map(PciDeviceProvider::scheme).collect(Collectors.toList());
    }

    @Override
    public boolean serves(final DeviceAddress address) {
        return schemes().contains(address.scheme());
    }

    @Override
    public List<DeviceInfo> list() {
        final List<DeviceInfo> devices = new ArrayList<>();
        for (final PciDeviceProvider provider : PciDevices.providers()) {
            for (final DeviceAddress address : provider.list()) {
                devices.add(new DeviceInfo(address.toString(), description(provider)));
            }
        }
        return devices;
    }

    /** From a usage line "SCHEME:... - what it is; options: ...". */
    private static String description(final PciDeviceProvider provider) {
        final String usage = provider.usage();
        return usage.substring(usage.indexOf(" - ") < 0 ? 0 : usage.indexOf(" - ") + 3).split(";", 2)[0];
    }

    @Override
    public RdmaContext open(final DeviceAddress address) {
        final Gid gid = address.options().containsKey(GID) ? Gid.parse(address.option(GID, "")) : null;
        final PvrdmaOptions options = options(address);
        try (Undo undo = new Undo()) {
            final PvrdmaDevice device = PvrdmaDevice.open(PciDevices.open(withoutOwnOptions(address)), options);
            undo.add(device::close);
            final PvrdmaContext context = new PvrdmaContext(address.toString(), device);
            context.bindGid(0, gid == null ? usualGid(device) : gid);
            undo.forget();
            return context;
        }
    }

    private static Gid usualGid(final PvrdmaDevice device) {
        final byte[] address = device.pci().networkAddress();
        return address == null ? Gid.linkLocal(device.caps().nodeGuid()) : Gid.of(address);
    }

    private static PvrdmaOptions options(final DeviceAddress address) {
        final PvrdmaOptions options = new PvrdmaOptions();
        final long millis = address.option(TIMEOUT, 0, 1, MAX_TIMEOUT_MILLIS);
        if (millis > 0) {
            options.responseTimeoutNanos(TimeUnit.MILLISECONDS.toNanos(millis));
        }
        return options.interruptVectors(
            (int) address.option(VECTORS, Bar1.PVRDMA_MAX_INTERRUPTS, 0, Bar1.PVRDMA_MAX_INTERRUPTS));
    }

    private static DeviceAddress withoutOwnOptions(final DeviceAddress address) {
        final Map<String, String> options = new LinkedHashMap<>(address.options());
        options.keySet().removeAll(PciDevices.DRIVER_OPTIONS);
        return new DeviceAddress(address.scheme(), address.path(), options);
    }
}
