/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.perf.yardstick;

import io.rdma4j.RdmaException;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;

/** Messages of 64 bytes over a TCP connection of this machine with itself. Both threads sleep while they wait. */
final class Tcp implements RoundTrip {
    private static final int LENGTH = 64;
    private static final int LONGEST_MILLIS = 10_000;
    /** So soon the other thread looks whether it is to end. */
    private static final int NAP_MILLIS = 100;

    private final Socket near;
    private final Socket far;
    private final byte[] question = new byte[LENGTH];
    private final byte[] answer = new byte[LENGTH];

    Tcp() {
        try (ServerSocket listening = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            listening.setSoTimeout(LONGEST_MILLIS);
            near = new Socket(listening.getInetAddress(), listening.getLocalPort());
            far = accepted(listening);
        } catch (final IOException e) {
            throw failed(e);
        }
        prepare();
    }

    private Socket accepted(final ServerSocket listening) throws IOException {
        try {
            return listening.accept();
        } catch (final IOException e) {
            near.close();
            throw e;
        }
    }

    private void prepare() {
        try {
            near.setTcpNoDelay(true);
            far.setTcpNoDelay(true);
            near.setSoTimeout(LONGEST_MILLIS);
            far.setSoTimeout(NAP_MILLIS);
        } catch (final IOException e) {
            close();
            throw failed(e);
        }
    }

    @Override
    public String name() {
        return "tcp";
    }

    @Override
    public String title() {
        return "TCP over loopback, 64 bytes";
    }

    @Override
    public int batch() {
        return 1;
    }

    @Override
    public void ping(final long n) {
        try {
            near.getOutputStream().write(question);
            if (near.getInputStream().readNBytes(answer, 0, LENGTH) < LENGTH) {
                throw new IOException("the other end closed");
            }
        } catch (final IOException e) {
            throw failed(e);
        }
    }

    @Override
    public boolean pong(final long n) {
        final byte[] message = new byte[LENGTH];
        try {
            if (far.getInputStream().readNBytes(message, 0, LENGTH) < LENGTH) {
                return false;
            }
            far.getOutputStream().write(message);
            return true;
        } catch (final SocketTimeoutException e) {
            return false;
        } catch (final IOException e) {
            throw failed(e);
        }
    }

    private static RdmaException failed(final IOException e) {
        return RdmaException.of("measure yardstick").object("TCP over loopback").detail("%s", e)
            .errno(RdmaException.EIO).cause(e).hint("leave --compare out").build();
    }

    @Override
    public void close() {
        close(near);
        close(far);
    }

    private static void close(final Socket socket) {
        try {
            socket.close();
        } catch (final IOException ignored) {
            // Nothing more is wanted of it.
        }
    }
}
