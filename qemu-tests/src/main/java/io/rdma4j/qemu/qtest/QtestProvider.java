/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.qtest;

import io.rdma4j.DeviceAddress;
import io.rdma4j.RdmaException;
import io.rdma4j.driver.pci.PciDevice;
import io.rdma4j.driver.pci.PciDeviceProvider;

import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Opens devices of a QEMU that runs with its processors stopped, by addresses such as
 * {@code qtest:/run/qt.sock?ram=/dev/shm/ram&mad=/run/mux.sock}. Options: {@code ram}, the file behind the machine's
 * memory (required); {@code mad}, the socket of pvrdma's mad-chardev (without it no GID can be bound);
 * {@code at=DEVICE.FUNCTION} in hexadecimal, default 10.1; {@code timeout} in milliseconds for one answer.
 */
public final class QtestProvider implements PciDeviceProvider {
    static final String USAGE = "qtest:SOCKET?ram=FILE[&mad=SOCKET][&at=DEVICE.FUNCTION] - QEMU's device by qtest";

    /** Sockets in use: QEMU serves one connection, a second would wait without an answer. */
    private static final Set<Path> OPEN = ConcurrentHashMap.newKeySet();

    /** For {@link java.util.ServiceLoader}. */
    public QtestProvider() {
        // Nothing to prepare.
    }

    @Override
    public String scheme() {
        return "qtest";
    }

    @Override
    public String usage() {
        return USAGE;
    }

    /** None: only who started QEMU knows its sockets. */
    @Override
    public List<DeviceAddress> list() {
        return List.of();
    }

    @Override
    public PciDevice open(final DeviceAddress address) {
        final QtestOptions options = QtestOptions.of(address);
        final Path socket = options.socket().toAbsolutePath().normalize();
        if (!OPEN.add(socket)) {
            throw RdmaException.of("open device").device(address)
                .detail("this process has a device of that QEMU open").errno(RdmaException.EBUSY)
                .hint("close it first").build();
        }
        return QtestPciDevice.open(address, options, () -> OPEN.remove(socket));
    }
}
