/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.sysfs;

import java.net.InetAddress;
import java.net.InterfaceAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** What the kernel tells of network interfaces: flags in sysfs, routes in {@code /proc/net}. */
final class Network {
    private static final long IFF_UP = 1;
    private static final int RTF_REJECT = 0x200;
    private static final String LOOPBACK = "lo";

    private final Path root;
    private final Addresses addresses;
    private final Set<String> defaultRoutes;

    /** Where addresses of an interface are looked up: no file tells which interface has which IPv4 address. */
    interface Addresses {
        List<String> of(String name);
    }

    Network(final Path root, final Addresses addresses) {
        this.root = root;
        this.addresses = addresses;
        defaultRoutes = new HashSet<>();
        SysFiles.lines(root.resolve("proc/net/route")).forEach(this::addRoute);
        SysFiles.lines(root.resolve("proc/net/ipv6_route")).forEach(this::addRoute6);
    }

    /** Interface, destination, gateway, flags, ..., and mask in column 7; addresses in hexadecimal. */
    private void addRoute(final String line) {
        final String[] columns = line.strip().split("\\s+");
        if (columns.length > 7 && isZero(columns[1]) && isZero(columns[7])) {
            defaultRoutes.add(columns[0]);
        }
    }

    /** Destination and length of its prefix, ..., flags in column 8 and the interface last. */
    private void addRoute6(final String line) {
        final String[] columns = line.strip().split("\\s+");
        if (columns.length > 9 && isZero(columns[0]) && isZero(columns[1]) && !columns[9].equals(LOOPBACK)
            && (SysFiles.number("0x" + columns[8], 0) & RTF_REJECT) == 0) {
            defaultRoutes.add(columns[9]);
        }
    }

    private static boolean isZero(final String digits) {
        return digits.chars().allMatch(digit -> digit == '0');
    }

    NetInterface find(final String name) {
        final long flags = SysFiles.number(root.resolve("sys/class/net").resolve(name).resolve("flags"), 0);
        return new NetInterface(name, (flags & IFF_UP) != 0, addresses.of(name), defaultRoutes.contains(name));
    }

    /** Addresses that somebody gave it, as this JVM sees them, IPv4 first; link-local ones come by themselves. */
    static List<String> addressesInThisNamespace(final String name) {
        final List<String> found = new ArrayList<>();
        try {
            final NetworkInterface netInterface = NetworkInterface.getByName(name);
            if (netInterface != null) {
                netInterface.getInterfaceAddresses().stream().map(InterfaceAddress::getAddress)
                    .filter(address -> !address.isLinkLocalAddress())
                    .sorted(Comparator.comparingInt(address -> address.getAddress().length))
                    .map(Network::text).forEach(found::add);
            }
        } catch (final SocketException e) {
            return List.of();
        }
        return found;
    }

    private static String text(final InetAddress address) {
        return address.getHostAddress().replaceFirst("%.*", "");
    }
}
