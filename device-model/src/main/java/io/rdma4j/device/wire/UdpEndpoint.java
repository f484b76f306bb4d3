/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.wire;

import io.rdma4j.RdmaException;
import io.rdma4j.base.Undo;
import io.rdma4j.device.common.Counters;
import io.rdma4j.driver.libc.DatagramBatch;
import io.rdma4j.driver.libc.DatagramCalls;
import io.rdma4j.driver.libc.DatagramOption;
import io.rdma4j.driver.libc.Fd;
import io.rdma4j.hw.roce.Icrc;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** One address of this host: its socket, and the ways that lead from it. */
final class UdpEndpoint {
    /** A window of 128 packets of several queue pairs, and what the kernel needs beside their bytes. */
    private static final int RECEIVE_BUFFER = 4 << 20;

    private final UdpAddress local;
    private final int port;
    private final int maxFrame;
    private final Fd socket;
    private final UdpOutbox outbox;
    private final Map<Gid, UdpLane> lanes = new ConcurrentHashMap<>();
    /** The same, in the order of their making. */
    private final Deque<Gid> order = new ArrayDeque<>();
    private volatile boolean bound;

    /**
     * Opens the socket. It is not connected: a connected one counts the identifications of IPv4, which the check sum
     * covers and nobody learns; an unconnected one with "don't fragment" sends 0.
     */
    UdpEndpoint(UdpAddress local, int port, int maxFrame, Counters counters) {
        this.local = local;
        this.port = port;
        this.maxFrame = maxFrame;
        final boolean ipv6 = !local.gid().isIpv4();
        socket = DatagramCalls.open(ipv6);
        try (Undo undo = new Undo()) {
            undo.add(socket::close);
            final int fd = socket.fd();
            if (ipv6) {
                DatagramCalls.set(fd, DatagramOption.IPV6_V6ONLY, 1);
                DatagramCalls.set(fd, DatagramOption.IPV6_MTU_DISCOVER, DatagramOption.PMTUDISC_DO);
                DatagramCalls.set(fd, DatagramOption.UDP_NO_CHECK6_RX, 1);
                DatagramCalls.set(fd, DatagramOption.IPV6_RECVHOPLIMIT, 1);
                DatagramCalls.set(fd, DatagramOption.IPV6_FLOWINFO, 1);
            } else {
                DatagramCalls.set(fd, DatagramOption.IP_MTU_DISCOVER, DatagramOption.PMTUDISC_DO);
                DatagramCalls.set(fd, DatagramOption.IP_RECVTTL, 1);
                DatagramCalls.set(fd, DatagramOption.IP_RECVTOS, 1);
            }
            if (DatagramCalls.trySet(fd, DatagramOption.SO_RCVBUFFORCE, RECEIVE_BUFFER) != 0) {
                DatagramCalls.set(fd, DatagramOption.SO_RCVBUF, RECEIVE_BUFFER);
            }
            bindSocket(fd);
            outbox = new UdpOutbox(fd, maxFrame, counters);
            undo.forget();
        }
    }

    private void bindSocket(int fd) {
        final DatagramBatch address = new DatagramBatch(1);
        address(address, 0, local.gid());
        try {
            DatagramCalls.bind(fd, address);
        } catch (final RdmaException e) {
            final RdmaException.Builder failure = RdmaException.of("open wire").object(this).errno(e.errno()).cause(e);
            throw switch (e.errno()) {
                case RdmaException.EADDRINUSE -> failure.detail("somebody else has this address and port")
                    .hint("another device of this host may have it, or SoftRoCE (rdma_rxe), which owns port %d of all "
                        + "addresses of its network namespace: take another address, such as 127.0.0.2, or another "
                        + "namespace (ip netns exec)", Icrc.PORT).build();
                case RdmaException.EADDRNOTAVAIL -> failure.detail("this host has no such address")
                    .hint("'ip addr' lists those that it has").build();
                default -> failure.detail("the socket cannot be bound").build();
            };
        }
    }

    Gid gid() {
        return local.gid();
    }

    int port() {
        return port;
    }

    int maxFrame() {
        return maxFrame;
    }

    int socket() {
        return socket.fd();
    }

    UdpOutbox outbox() {
        return outbox;
    }

    boolean isBound() {
        return bound;
    }

    void bind() {
        bound = true;
    }

    /** An address of a peer in a message. */
    void address(DatagramBatch batch, int at, Gid peer) {
        if (peer.isIpv4()) {
            batch.toIpv4(at, (int) peer.low(), port);
        } else {
            batch.toIpv6(at, peer.high(), peer.low(), port, local.scope());
        }
    }

    /** The check sum of a frame that goes to a peer from here. */
    int checkSum(Icrc icrc, Gid peer, FrameSlot slot, int length) {
        final Gid here = local.gid();
        return here.isIpv4() ? icrc.ofIpv4((int) here.low(), (int) peer.low(), 0, port, slot.upTo(length))
            : icrc.ofIpv6(here.high(), here.low(), peer.high(), peer.low(), port, slot.upTo(length));
    }

    /** {@return the way that is there; or null} */
    UdpLane existing(Gid dest) {
        return lanes.get(dest);
    }

    /** Makes a way if there is none. Under the carrier's lock. */
    UdpLane make(Gid dest) {
        UdpLane lane = lanes.get(dest);
        if (lane == null) {
            lane = new UdpLane(this, dest);
            lanes.put(dest, lane);
            order.addLast(dest);
        }
        return lane;
    }

    int lanes() {
        return order.size();
    }

    /** Closes the way that is there longest. Under the carrier's lock. */
    void forgetOldest() {
        lanes.remove(order.removeFirst()).close();
    }

    /** Closes all ways; false if nothing was bound. Under the carrier's lock. */
    boolean unbind() {
        final boolean was = bound;
        bound = false;
        while (lanes() > 0) {
            forgetOldest();
        }
        return was;
    }

    void close() {
        unbind();
        outbox.close();
        socket.close();
    }

    @Override
    public String toString() {
        return local.gid() + " port " + port;
    }
}
