/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.wire;

import io.rdma4j.RdmaException;
import io.rdma4j.base.Undo;
import io.rdma4j.device.common.Counter;
import io.rdma4j.device.common.Counters;
import io.rdma4j.driver.libc.Libc;
import io.rdma4j.driver.libc.LibcConstants;
import io.rdma4j.driver.libc.PollSet;
import io.rdma4j.driver.wait.WaitFd;
import io.rdma4j.hw.roce.Icrc;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * RoCEv2: frames in UDP datagrams, with the check sum behind them, to any host that speaks it. The kernel's sockets
 * send them, so no privilege is needed, and neighbours and routes are the kernel's.
 *
 * <p>Each address has a socket of its own and is a GID. All use one port; answers go to a peer's address at that port,
 * whatever port it sent from. The flow label of IPv6 is the kernel's choice.
 */
public final class UdpCarrier implements Carrier {
    /** Peers that are remembered; beyond that the one known longest is forgotten. */
    static final int MAX_LANES = 1024;

    private static final String OPERATION = "open wire";
    private static final int MAX_ADDRESSES = 16;
    private static final int SMALLEST_MTU = 256;
    private static final int LARGEST_MTU = 5;
    /** What SoftRoCE leaves for headers, and 4 bytes more: its figure is too small for IPv6 with an immediate. */
    private static final int NETWORK_HEADERS = 84;
    /** Of the transport, before the payload; the longest are 32 bytes. */
    private static final int TRANSPORT_HEADERS = 64;
    private static final long IPV4_MULTICAST = 0xe000_0000L;
    private static final int IPV6_MULTICAST = 0xff;

    private final UdpEndpoint[] endpoints;
    private final UdpInbox inbox;
    private final Counters counters;
    private final int mtu;
    private final WaitFd wake;
    private final PollSet files;
    private final AtomicInteger epoch = new AtomicInteger();
    /** Whose turn it is to be looked at first. */
    private int turn;
    private volatile boolean woken;
    private volatile boolean sleeping;
    private boolean closed;

    private UdpCarrier(List<UdpAddress> addresses, int port, Counters counters) {
        this.counters = counters;
        mtu = addresses.stream().mapToInt(each -> mtuOf(each.linkMtu())).min().orElseThrow();
        inbox = new UdpInbox(port, maxFrame(), counters);
        files = new PollSet(addresses.size() + 1);
        final List<UdpEndpoint> opened = new ArrayList<>();
        try (Undo undo = new Undo()) {
            for (UdpAddress each : addresses) {
                final UdpEndpoint endpoint = new UdpEndpoint(each, port, maxFrame(), counters);
                undo.add(endpoint::close);
                opened.add(endpoint);
            }
            wake = WaitFd.open();
            undo.forget();
        }
        endpoints = opened.toArray(UdpEndpoint[]::new);
    }

    /**
     * Opens the sockets. Nothing comes for a GID until it is bound.
     *
     * @param addresses of this host; none for 127.0.0.1, which nobody reaches from outside
     * @param port      of UDP, here and at all peers; {@link Icrc#PORT} for RoCE
     * @param counters  of surprising events
     * @return the caller owns it
     * @throws RdmaException EADDRINUSE if somebody else has an address and port, EADDRNOTAVAIL for an address of
     *                       another host, EINVAL for one that no host can have
     */
    public static UdpCarrier open(List<InetAddress> addresses, int port, Counters counters) {
        if (port < 1 || port > 0xffff) {
            throw RdmaException.of(OPERATION).detail("port %d is not between 1 and 65535", port)
                .errno(RdmaException.EINVAL).hint("the port of RoCE is %d", Icrc.PORT).build();
        }
        final List<InetAddress> all = addresses.isEmpty() ? UdpAddress.parse("127.0.0.1") : addresses;
        if (all.size() > MAX_ADDRESSES || new HashSet<>(all).size() < all.size()) {
            throw RdmaException.of(OPERATION).detail("%d addresses; there may be %d, each once", all.size(),
                MAX_ADDRESSES).errno(RdmaException.EINVAL).build();
        }
        return new UdpCarrier(all.stream().map(UdpAddress::of).toList(), port, counters);
    }

    /**
     * Reads the value of {@code ?address=}. An interface behind an IPv6 address ({@code fe80::1%eth0}) is looked for in
     * the network namespace of the calling thread.
     *
     * @param text IPv4 and IPv6 addresses in digits, with commas between them; empty for none
     * @return the addresses
     * @throws RdmaException EINVAL for anything else, names included; ENODEV if there is no such interface
     */
    public static List<InetAddress> parseAddresses(String text) {
        return text.isEmpty() ? List.of() : UdpAddress.parse(text);
    }

    /** The largest path MTU of which a packet fits. */
    static int mtuOf(int linkMtu) {
        int number = LARGEST_MTU;
        while (number > 1 && bytesOf(number) > linkMtu - NETWORK_HEADERS) {
            number--;
        }
        return number;
    }

    private static int bytesOf(int number) {
        return SMALLEST_MTU / 2 << number;
    }

    /**
     * {@return the addresses, in the order given}
     */
    @Override
    public List<Gid> gids() {
        final List<Gid> gids = new ArrayList<>();
        for (UdpEndpoint each : endpoints) {
            gids.add(each.gid());
        }
        return gids;
    }

    @Override
    public int mtu() {
        return mtu;
    }

    @Override
    public int maxFrame() {
        return bytesOf(mtu) + TRANSPORT_HEADERS;
    }

    private UdpEndpoint at(Gid gid) {
        for (UdpEndpoint each : endpoints) {
            if (each.gid().equals(gid)) {
                return each;
            }
        }
        return null;
    }

    @Override
    public synchronized boolean bind(Gid gid) {
        final UdpEndpoint endpoint = at(gid);
        if (endpoint == null || closed) {
            return false;
        }
        endpoint.bind();
        epoch.incrementAndGet();
        return true;
    }

    @Override
    public synchronized void unbind(Gid gid) {
        final UdpEndpoint endpoint = at(gid);
        if (endpoint != null && endpoint.unbind()) {
            epoch.incrementAndGet();
        }
    }

    @Override
    public Lane lane(Gid source, Gid dest) {
        final UdpEndpoint endpoint = at(source);
        if (endpoint == null || !endpoint.isBound()) {
            return null;
        }
        final Lane known = endpoint.existing(dest);
        return known != null ? known : newLane(endpoint, dest);
    }

    private synchronized Lane newLane(UdpEndpoint endpoint, Gid dest) {
        if (!endpoint.isBound() || dest.isIpv4() != endpoint.gid().isIpv4() || !isUnicast(dest)) {
            return null;
        }
        int lanes = 0;
        UdpEndpoint most = endpoint;
        for (UdpEndpoint each : endpoints) {
            lanes += each.lanes();
            most = each.lanes() > most.lanes() ? each : most;
        }
        if (lanes >= MAX_LANES && endpoint.existing(dest) == null) {
            most.forgetOldest();
            counters.increment(Counter.WIRE_PEERS_FORGOTTEN);
            epoch.incrementAndGet();
        }
        return endpoint.make(dest);
    }

    private static boolean isUnicast(Gid gid) {
        if (gid.isIpv4()) {
            final long address = Integer.toUnsignedLong((int) gid.low());
            return address != 0 && address < IPV4_MULTICAST;
        }
        return (gid.high() != 0 || gid.low() != 0) && gid.high() >>> Long.SIZE - Byte.SIZE != IPV6_MULTICAST;
    }

    @Override
    public boolean reaches(Gid dest) {
        for (UdpEndpoint each : endpoints) {
            if (each.gid().isIpv4() == dest.isIpv4()) {
                return isUnicast(dest);
            }
        }
        return false;
    }

    @Override
    public int epoch() {
        return epoch.get();
    }

    @Override
    public int poll(FrameReceiver receiver, int limit) {
        flush();
        int taken = 0;
        final int begin = turn;
        for (int i = 0; i < endpoints.length && taken < limit; i++) {
            turn = (begin + i + 1) % endpoints.length;
            taken += inbox.receive(endpoints[(begin + i) % endpoints.length], receiver, limit - taken);
        }
        return taken;
    }

    @Override
    public void flush() {
        for (UdpEndpoint each : endpoints) {
            each.outbox().flush();
        }
    }

    @Override
    public void await(long nanos) {
        sleeping = true;
        // After that store: a wake-up that was not seen here sees it, and signals.
        if (!woken && nanos > 0) {
            files.clear();
            for (UdpEndpoint each : endpoints) {
                files.add(each.socket(), LibcConstants.POLLIN | (each.outbox().isEmpty() ? 0 : LibcConstants.POLLOUT));
            }
            final int last = files.add(wake.fd(), LibcConstants.POLLIN);
            Libc.poll(files, nanos);
            if (files.revents(last) != 0) {
                wake.clear();
            }
        }
        sleeping = false;
        woken = false;
    }

    @Override
    public void wakeUp() {
        woken = true;
        if (sleeping) {
            wake.set();
        }
    }

    @Override
    public synchronized void close() {
        if (!closed) {
            closed = true;
            epoch.incrementAndGet();
            for (UdpEndpoint each : endpoints) {
                each.close();
            }
            wake.close();
        }
    }

    @Override
    public String toString() {
        return "udp " + List.of(endpoints);
    }
}
