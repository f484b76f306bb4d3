/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs;

import io.rdma4j.DeviceAddress;
import io.rdma4j.RdmaException;
import io.rdma4j.verbs.spi.VerbsProvider;

import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;

/** Finds and opens RDMA devices. Thread-safe. */
public final class RdmaDevices {
    /** The device that everything runs on when no address is given: the software device. */
    public static final String DEFAULT_ADDRESS = "emulated:";

    private RdmaDevices() {
    }

    /**
     * Devices that could be opened now, by all providers on the class path.
     *
     * @return devices, possibly none.
     */
    public static List<DeviceInfo> list() {
        final List<DeviceInfo> devices = new ArrayList<>();
        ServiceLoader.load(VerbsProvider.class).forEach(provider -> devices.addAll(provider.list()));
        return devices;
    }

    /**
     * Opens a device.
     *
     * @param address a device address, such as {@code "emulated:"} or {@code "vfio:0000:0b:00.1"}. The option
     *                {@code gid=ADDRESS} names the GID to bind at index 0 instead of the device's default one.
     * @return the open device; the caller owns it.
     * @throws RdmaException EINVAL if the address cannot be read or has unknown options, ENODEV if there is no such
     *                       device or scheme, EBUSY if it is in use, EACCES without the rights, EIO if it does not
     *                       behave as a device should. Nothing is left open then.
     */
    public static RdmaContext open(final String address) {
        final DeviceAddress parsed = DeviceAddress.parse(address);
        for (final VerbsProvider provider : ServiceLoader.load(VerbsProvider.class)) {
            if (provider.serves(parsed)) {
                return provider.open(parsed);
            }
        }
        throw RdmaException.of("open device")
            .device(parsed)
            .detail("no provider for scheme '%s'", parsed.scheme())
            .errno(RdmaException.ENODEV)
            .hint("use one of: %s", schemes())
            .build();
    }

    private static List<String> schemes() {
        final List<String> schemes = new ArrayList<>();
        for (final VerbsProvider provider : ServiceLoader.load(VerbsProvider.class)) {
            provider.schemes().forEach(scheme -> schemes.add(scheme + ":"));
        }
        return schemes;
    }
}
