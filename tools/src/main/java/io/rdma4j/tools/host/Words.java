/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.host;

import io.rdma4j.driver.sysfs.DeviceFile;
import io.rdma4j.driver.sysfs.FileUser;
import io.rdma4j.driver.sysfs.Memlock;
import io.rdma4j.driver.sysfs.NetInterface;
import io.rdma4j.driver.sysfs.PciFunction;

import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;

/** How facts are written in text. */
final class Words {
    static final String NONE = "-";
    private static final String[] UNITS = {" bytes", " KiB", " MiB", " GiB", " TiB"};
    private static final int UNIT_SHIFT = 10;

    private Words() {
    }

    static String driver(final PciFunction function) {
        return orNone(function.driver());
    }

    static String orNone(final String text) {
        return Objects.requireNonNullElse(text, NONE);
    }

    static String group(final PciFunction function) {
        return function.iommuGroup() < 0 ? NONE : Integer.toString(function.iommuGroup());
    }

    /** Such as {@code "eth0 (up, 10.0.0.1)"}; network interfaces and RDMA devices of the kernel. */
    static String interfaces(final PciFunction function) {
        final String names = function.netInterfaces().stream().map(Words::netInterface)
            .collect(Collectors.joining(", "));
        final String rdma = String.join(", ", function.rdmaDevices());
        final String both = names + (names.isEmpty() || rdma.isEmpty() ? "" : ", ") + rdma;
        return both.isEmpty() ? NONE : both;
    }

    static String netInterface(final NetInterface netInterface) {
        return netInterface.name() + " (" + netInterface.state() + ")";
    }

    /**
     * What has to be done before functions are taken, such as {@code "if nobody is logged in through eth0, run first:
     * sudo ip link set eth0 down"}; nothing if none of their interfaces is up.
     */
    static String takeDown(final List<PciFunction> functions) {
        final List<String> up = functions.stream().flatMap(function -> function.netInterfaces().stream())
            .filter(NetInterface::isUp).map(NetInterface::name).toList();
        return up.isEmpty() ? "" : "if nobody is logged in through " + String.join(", ", up) + ", run first: "
            + up.stream().map(name -> "sudo ip link set " + name + " down").collect(Collectors.joining("; "));
    }

    /** Such as {@code "0000:0b:00.0 (driver vmxnet3, eth0 (up))"}. */
    static String function(final PciFunction function) {
        final String carries = interfaces(function);
        return function.address() + " (driver " + driver(function)
            + (carries.equals(NONE) ? "" : ", " + carries) + ")";
    }

    static String functions(final List<PciFunction> functions) {
        return functions.stream().map(Words::function).collect(Collectors.joining(", "));
    }

    /** Such as {@code "rw------- root root"}. */
    static String rights(final DeviceFile file) {
        return file.mode() == null ? "?" : file.mode() + " " + file.owner() + " " + file.group();
    }

    static String usability(final DeviceFile file) {
        if (!file.exists()) {
            return "not there";
        }
        return rights(file) + (file.isUsable() ? ", usable by this user" : ", not usable by this user");
    }

    static String users(final List<FileUser> users) {
        return users.isEmpty() ? NONE : users.stream().map(user -> user.command() + " (" + user.pid() + ")")
            .collect(Collectors.joining(", "));
    }

    static String limit(final long bytes) {
        if (bytes == Memlock.UNLIMITED) {
            return "unlimited";
        }
        return bytes == Memlock.UNKNOWN ? "unknown" : bytes(bytes);
    }

    /** In the largest unit that leaves no fraction. */
    static String bytes(final long bytes) {
        int unit = 0;
        long value = bytes;
        while (unit < UNITS.length - 1 && value != 0 && (value & (1 << UNIT_SHIFT) - 1) == 0) {
            value >>= UNIT_SHIFT;
            unit++;
        }
        return value + UNITS[unit];
    }
}
