/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.wire;

import io.rdma4j.RdmaException;
import io.rdma4j.driver.libc.NetNamespace;

import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * An address of this host that a wire is to use: what it is as a GID, and what its link allows. Immutable.
 *
 * @param gid     the address
 * @param scope   index of the interface if the address is only valid on its link; or 0
 * @param linkMtu bytes of the longest IP packet
 */
record UdpAddress(Gid gid, int scope, int linkMtu) {
    /** Of a link that the JVM does not find: Ethernet's. */
    private static final int USUAL_MTU = 1500;
    private static final String BYTE = "(25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)";
    private static final String LITERAL_IPV4 = BYTE + "(\\." + BYTE + "){3}";
    /** In each network namespace. */
    private static final String LOOPBACK = "lo";
    private static final String NUMBER = "\\d{1,9}";
    private static final String OPERATION = "open wire";

    /**
     * Reads addresses with commas between them. Names are refused: they are several addresses, or others tomorrow. An
     * interface is looked for in the network namespace of the calling thread.
     */
    static List<InetAddress> parse(String text) {
        final List<InetAddress> all = new ArrayList<>();
        for (String each : text.split(",", -1)) {
            try {
                all.add(each.matches(LITERAL_IPV4) ? InetAddress.getByName(each) : ipv6(each));
            } catch (final UnknownHostException e) {
                throw malformed(text, each, e);
            }
        }
        return all;
    }

    private static InetAddress ipv6(String text) throws UnknownHostException {
        final int percent = text.indexOf('%');
        final String literal = percent < 0 ? text : text.substring(0, percent);
        if (literal.indexOf(':') < 0) {
            throw new UnknownHostException(text);
        }
        // In brackets it is no name that somebody is asked for, whatever it is.
        final InetAddress address = InetAddress.getByName('[' + literal + ']');
        return percent < 0 ? address
            : Inet6Address.getByAddress(null, address.getAddress(), index(text.substring(percent + 1)));
    }

    private static int index(String link) {
        return link.matches(NUMBER) ? Integer.parseInt(link) : NetNamespace.interfaceIndex(link);
    }

    private static RdmaException malformed(String text, String part, Exception cause) {
        return RdmaException.of(OPERATION).detail("address=%s: '%s' is no IP address in digits", text, part)
            .errno(RdmaException.EINVAL).hint("write address=192.0.2.1 or address=192.0.2.1,fd00::1").cause(cause)
            .build();
    }

    static UdpAddress of(InetAddress address) {
        if (address.isAnyLocalAddress() || address.isMulticastAddress()) {
            throw RdmaException.of(OPERATION).object(address.getHostAddress())
                .detail("a wire has an address of its own, by which peers find it").errno(RdmaException.EINVAL)
                .hint("'ip addr' lists those of this host").build();
        }
        NetworkInterface link = null;
        int mtu = USUAL_MTU;
        try {
            link = linkOf(address);
            mtu = link == null ? USUAL_MTU : link.getMTU();
        } catch (final SocketException e) {
            // Java looks for it in the network namespace of the process, and asks it in that of the thread.
            link = null;
        }
        return new UdpAddress(gid(address), scope(address, link), mtu);
    }

    /** All of 127.0.0.0/8 is this host's, and only 127.0.0.1 is found by address. */
    private static NetworkInterface linkOf(InetAddress address) throws SocketException {
        return address.isLoopbackAddress() ? NetworkInterface.getByName(LOOPBACK)
            : NetworkInterface.getByInetAddress(address);
    }

    private static int scope(InetAddress address, NetworkInterface link) {
        if (address instanceof Inet6Address ipv6 && address.isLinkLocalAddress()) {
            return ipv6.getScopeId() != 0 || link == null ? ipv6.getScopeId() : link.getIndex();
        }
        return 0;
    }

    static Gid gid(InetAddress address) {
        final ByteBuffer bytes = ByteBuffer.wrap(address.getAddress());
        return address instanceof Inet4Address ? Gid.ofIpv4(bytes.getInt()) : new Gid(bytes.getLong(), bytes.getLong());
    }
}
