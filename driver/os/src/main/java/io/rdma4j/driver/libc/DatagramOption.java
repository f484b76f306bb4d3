/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.driver.libc;

/**
 * Options of a datagram socket whose value is an {@code int}, of {@code asm-generic/socket.h}, {@code linux/in.h},
 * {@code linux/in6.h} and {@code linux/udp.h}.
 */
public enum DatagramOption {
    /** Bytes of the receive buffer; the kernel doubles it, and cuts it to net.core.rmem_max. */
    SO_RCVBUF(DatagramOption.SOL_SOCKET, 8),
    /** The same beyond that limit, with CAP_NET_ADMIN. */
    SO_RCVBUFFORCE(DatagramOption.SOL_SOCKET, 33),
    /** Whether IPv4 packets may be fragmented: {@link #PMTUDISC_DO} is never. */
    IP_MTU_DISCOVER(DatagramOption.SOL_IP, 10),
    /** Whether the hop limit of what comes is told. */
    IP_RECVTTL(DatagramOption.SOL_IP, 12),
    /** Whether the type of service of what comes is told. */
    IP_RECVTOS(DatagramOption.SOL_IP, 13),
    /** Whether flow label and traffic class of what comes are told. */
    IPV6_FLOWINFO(DatagramOption.SOL_IPV6, 11),
    /** Whether IPv6 packets may be fragmented: {@link #PMTUDISC_DO} is never. */
    IPV6_MTU_DISCOVER(DatagramOption.SOL_IPV6, 23),
    /** Whether IPv4 is left to other sockets. */
    IPV6_V6ONLY(DatagramOption.SOL_IPV6, 26),
    /** Whether the hop limit of what comes is told. */
    IPV6_RECVHOPLIMIT(DatagramOption.SOL_IPV6, 51),
    /** Whether IPv6 packets without a check sum are taken. */
    UDP_NO_CHECK6_RX(DatagramOption.SOL_UDP, 102);

    /** Value of the MTU options: "don't fragment" is set, and what is too long is refused. */
    public static final int PMTUDISC_DO = 2;

    private static final int SOL_IP = 0;
    private static final int SOL_SOCKET = 1;
    private static final int SOL_UDP = 17;
    private static final int SOL_IPV6 = 41;

    private final int level;
    private final int number;

    DatagramOption(final int level, final int number) {
        this.level = level;
        this.number = number;
    }

    int level() {
        return level;
    }

    int number() {
        return number;
    }
}
