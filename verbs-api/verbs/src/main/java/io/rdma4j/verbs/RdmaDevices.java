/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs;

import io.rdma4j.DeviceAddress;
import io.rdma4j.RdmaException;
import io.rdma4j.base.JvmFlags;
import io.rdma4j.verbs.spi.VerbsProvider;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;
import org.agrona.UnsafeApi;

/** Finds and opens RDMA devices. Thread-safe. */
public final class RdmaDevices {
    /** The device that everything runs on when no address is given: the emulated device. */
    public static final String DEFAULT_ADDRESS = "emulated:";

    private RdmaDevices() {
    }

    /**
     * Devices that could be opened now, by all providers on the class path.
     *
     * @return devices, possibly none.
     * @throws RdmaException EPERM if the JVM was started without the flags that rdma4j needs; the message has them.
     */
    public static List<DeviceInfo> list() {
        JvmFlags.require("list devices", UnsafeApi.class);
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
     *                       device or scheme, EBUSY if it is in use, EADDRINUSE if another process has the GID of a
     *                       device with a wire, or its UDP address and port, EADDRNOTAVAIL for an address of another
     *                       host, EACCES without the rights, EIO if it does not behave as a device should, EPERM if
     *                       the JVM was started without the flags that rdma4j needs; the message has them. Nothing is
     *                       left open then.
     */
    public static RdmaContext open(final String address) {
        JvmFlags.require("open device", UnsafeApi.class);
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
            .hint(advice(parsed.scheme(), schemes()))
            .build();
    }

    /** A scheme of ours that nobody serves lacks its jar. */
    static String advice(final String scheme, final List<String> served) {
        final String missing = switch (scheme) {
            case "emulated" -> "io.rdma4j:rdma4j-pvrdma and io.rdma4j:rdma4j-device-model";
            case "vfio" -> "io.rdma4j:rdma4j-pvrdma";
            case "ibv" -> "io.rdma4j:rdma4j-ibverbs";
            default -> null;
        };
        if (missing != null) {
            return "add " + missing + " to the class path; io.rdma4j:rdma4j brings all";
        }
        return "use one of: " + (served.isEmpty() ? "none, as no provider is on the class path"
            : String.join(", ", served));
    }

    private static List<String> schemes() {
        final List<String> schemes = new ArrayList<>();
        for (final VerbsProvider provider : ServiceLoader.load(VerbsProvider.class)) {
            provider.schemes().forEach(scheme -> schemes.add(scheme + ":"));
        }
        return schemes;
    }
}
