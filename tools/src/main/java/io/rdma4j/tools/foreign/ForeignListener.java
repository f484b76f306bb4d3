/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.foreign;

import io.rdma4j.RdmaException;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.SocketTimeoutException;
import java.time.Duration;

/** Listens for a program of another project. The first that comes is the one. */
public final class ForeignListener implements AutoCloseable {
    private static final String OPERATION = "listen for another program";

    private final ServerSocket socket;

    /**
     * Begins to listen.
     *
     * @param at where; port 0 for any that is free.
     * @throws RdmaException if the address cannot be had.
     */
    public ForeignListener(final InetSocketAddress at) {
        try {
            socket = new ServerSocket();
        } catch (final IOException e) {
            throw failed(at, e);
        }
        try {
            if (at.isUnresolved()) {
                throw new IOException("unknown host");
            }
            socket.bind(at, 1);
        } catch (final IOException e) {
            close();
            throw failed(at, e);
        }
    }

    private static RdmaException failed(final InetSocketAddress at, final IOException e) {
        return RdmaException.of(OPERATION).object(at).detail("%s", e.getMessage()).errno(RdmaException.EIO)
            .hint("take an address of this machine, and a port that is free").cause(e).build();
    }

    /**
     * Where it listens.
     *
     * @return the address, with the port that was found free.
     */
    public InetSocketAddress address() {
        return (InetSocketAddress) socket.getLocalSocketAddress();
    }

    /**
     * Waits for a program.
     *
     * @param first   longest wait until it comes.
     * @param timeout longest wait for each message.
     * @return the connection.
     * @throws RdmaException ETIMEDOUT if nobody came.
     */
    public ForeignSocket accept(final Duration first, final Duration timeout) {
        try {
            socket.setSoTimeout(ForeignSocket.millis(first));
            return ForeignSocket.over(socket.accept(), timeout);
        } catch (final SocketTimeoutException e) {
            throw RdmaException.of(OPERATION).object(address())
                .detail("nobody came within %s s", first.toMillis() / ForeignSocket.MILLIS)
                .errno(RdmaException.ETIMEDOUT)
                .hint("start the other program with this machine as its HOST; or wait longer with --timeout").cause(e)
                .build();
        } catch (final IOException e) {
            throw failed(address(), e);
        }
    }

    /** Stops listening. Harmless when repeated. */
    @Override
    public void close() {
        try {
            socket.close();
        } catch (final IOException ignored) {
            // The descriptor is gone all the same, and nobody is waited for any more.
        }
    }
}
