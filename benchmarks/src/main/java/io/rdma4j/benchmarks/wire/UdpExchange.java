/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.benchmarks.wire;

import io.rdma4j.benchmarks.harness.Patience;
import io.rdma4j.benchmarks.harness.Sizes;
import io.rdma4j.benchmarks.roundtrip.Exchange;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;

/** A yardstick: datagrams of the same size by Java NIO. One process pings, another one pongs. */
final class UdpExchange implements Exchange {
    private final Waiting waiting;
    private final ByteBuffer message = ByteBuffer.allocateDirect(Sizes.MESSAGE);
    private final DatagramChannel channel;

    UdpExchange(final Patience patience) throws IOException {
        waiting = new Waiting(patience);
        channel = DatagramChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    }

    int port() throws IOException {
        return ((InetSocketAddress) channel.getLocalAddress()).getPort();
    }

    void connect(final int port) throws IOException {
        final SocketAddress peer = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
        channel.connect(peer).configureBlocking(false);
    }

    @Override
    public void ping(final long n) {
        send(n);
        await(n);
    }

    @Override
    public void pong(final long n) {
        await(n);
        send(n);
    }

    private void send(final long n) {
        try {
            message.clear();
            message.putLong(0, n);
            while (channel.write(message) == 0) {
                waiting.turn();
            }
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void await(final long n) {
        try {
            message.clear();
            while (channel.read(message) == 0) {
                waiting.turn();
            }
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
        if (message.getLong(0) != n) {
            throw new IllegalStateException("datagram " + message.getLong(0) + " came instead of " + n);
        }
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
