/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.base;

import java.io.IOException;
import java.net.BindException;
import java.net.NoRouteToHostException;
import java.net.SocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.UnsupportedAddressTypeException;

/**
 * Calls of channels that say by an IOException, as of any other address, that this JVM does not know addresses of a
 * kind. One without IPv6 does not even ask the system.
 */
public final class Sockets {
    private Sockets() {
    }

    /**
     * {@link SocketChannel#connect}.
     *
     * @param channel that connects.
     * @param peer    to whom.
     * @return whether it is connected already.
     * @throws IOException as the channel's; NoRouteToHostException if addresses of that kind are not known.
     */
    public static boolean connect(final SocketChannel channel, final SocketAddress peer) throws IOException {
        try {
            return channel.connect(peer);
        } catch (final UnsupportedAddressTypeException e) {
            throw because(e, new NoRouteToHostException(unknown(peer)));
        }
    }

    /**
     * {@link ServerSocketChannel#bind(SocketAddress, int)}.
     *
     * @param channel that is to listen.
     * @param address where.
     * @param backlog how many may wait to be accepted; 0 for as many as the JVM likes.
     * @throws IOException as the channel's; BindException if addresses of that kind are not known.
     */
    public static void bind(final ServerSocketChannel channel, final SocketAddress address, final int backlog)
        throws IOException {
        try {
            channel.bind(address, backlog);
        } catch (final UnsupportedAddressTypeException e) {
            throw because(e, new BindException(unknown(address)));
        }
    }

    private static String unknown(final SocketAddress address) {
        return "addresses like " + address + " are not known here";
    }

    /** Their constructors take no cause. */
    private static IOException because(final Exception cause, final IOException thrown) {
        thrown.initCause(cause);
        return thrown;
    }
}
