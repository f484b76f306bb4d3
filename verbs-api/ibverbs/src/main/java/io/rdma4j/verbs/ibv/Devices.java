/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.ibv;

import io.rdma4j.DeviceAddress;
import io.rdma4j.RdmaException;
import io.rdma4j.verbs.ibv.lib.VerbsLibrary;
import org.agrona.UnsafeApi;
import org.agrona.concurrent.UnsafeBuffer;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The library's list of devices, and opening one of them. */
final class Devices {
    private static final String OPERATION = "open device";
    private static final int ENOSYS = 38;
    private static final Path FILES = Path.of("/dev/infiniband");

    private Devices() {
    }

    /** Names of all devices; none where the kernel has no RDMA at all. */
    static List<String> names(final VerbsLibrary library) {
        final List<String> names = new ArrayList<>();
        final UnsafeBuffer count = Struct.allocate(Integer.BYTES);
        final long list = library.getDeviceList(count.addressOffset());
        if (list != 0) {
            for (int i = 0; i < count.getInt(0); i++) {
                names.add(name(UnsafeApi.getLong(list + (long) i * Long.BYTES)));
            }
            library.freeDeviceList(list);
        }
        return names;
    }

    /** Its name, without that of the provider. */
    static String name(final long device) {
        return Struct.text(device + Abi.Device.NAME, Abi.Device.NAME_LENGTH);
    }

    /** Opens the device that the address names, or the first one; its context. */
    static long open(final DeviceAddress address, final VerbsLibrary library) {
        final UnsafeBuffer count = Struct.allocate(Integer.BYTES);
        final long list = library.getDeviceList(count.addressOffset());
        if (list == 0) {
            throw noList(address, library.errno());
        }
        try {
            final List<String> names = new ArrayList<>();
            for (int i = 0; i < count.getInt(0); i++) {
                final long device = UnsafeApi.getLong(list + (long) i * Long.BYTES);
                names.add(name(device));
                if (address.path().isEmpty() || address.path().equals(names.get(i))) {
                    return open(address, library, device);
                }
            }
            throw notThere(address, names);
        } finally {
            library.freeDeviceList(list);
        }
    }

    /** Version of what driver and library have in common; 0 if the kernel does not tell. */
    static int abiVersion(final long device) {
        final Path file = Path.of("/sys/class/infiniband_verbs",
            Struct.text(device + Abi.Device.DEV_NAME, Abi.Device.NAME_LENGTH), "abi_version");
        try {
            return Integer.parseInt(Files.readString(file).strip());
        } catch (final IOException | NumberFormatException e) {
            return 0;
        }
    }

    private static RdmaException noList(final DeviceAddress address, final int errno) {
        return RdmaException.of(OPERATION)
            .device(address)
            .detail("the list of RDMA devices cannot be read")
            .errno(errno == ENOSYS ? RdmaException.ENODEV : errno)
            .hint("load the kernel's modules: modprobe ib_uverbs, and that of the device")
            .build();
    }

    private static RdmaException notThere(final DeviceAddress address, final List<String> names) {
        return RdmaException.of(OPERATION)
            .device(address)
            .detail(names.isEmpty() ? "this machine has no RDMA device"
                : "there is no device '" + address.path() + "', but " + String.join(", ", names))
            .errno(RdmaException.ENODEV)
            .hint(names.isEmpty() ? "SoftRoCE makes one of a network device: "
                + "rdma link add rxe0 type rxe netdev eth0; in a container, /dev/infiniband has to be passed in" : null)
            .build();
    }

    private static long open(final DeviceAddress address, final VerbsLibrary library, final long device) {
        final String file = Struct.text(device + Abi.Device.DEV_NAME, Abi.Device.NAME_LENGTH);
        final long context = library.openDevice(device);
        if (context == 0) {
            throw notOpened(address, FILES.resolve(file), library.errno());
        }
        final String objection = ContextCheck.objection(context, device, FILES.resolve(file));
        if (objection != null) {
            library.closeDevice(context);
            throw RdmaException.of(OPERATION)
                .device(address)
                .detail("libibverbs' context is not as expected: %s", objection)
                .errno(RdmaException.EIO)
                .hint("only 64-bit x86 and rdma-core's libibverbs.so.1 are known; docs/ibverbs.md")
                .build();
        }
        return context;
    }

    private static RdmaException notOpened(final DeviceAddress address, final Path file, final int errno) {
        final boolean denied = errno == RdmaException.EACCES || errno == RdmaException.EPERM
            || Files.exists(file) && !Files.isWritable(file);
        return RdmaException.of(OPERATION)
            .device(address)
            .detail(denied ? "%s must be readable and writable for this user" : "%s cannot be opened", file)
            .errno(denied ? RdmaException.EACCES : errno == 0 ? RdmaException.EIO : errno)
            .hint(denied ? "rdma-core's udev rules give it to everybody (mode 0666); else ask the administrator"
                : Files.exists(file) ? null : "it is not there; in a container, pass it in")
            .build();
    }
}
