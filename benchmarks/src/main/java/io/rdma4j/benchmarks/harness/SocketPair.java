/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.benchmarks.harness;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import org.agrona.CloseHelper;

/** Two ends of a stream socket of this machine, neither of which blocks: who waits reads again. */
public final class SocketPair implements AutoCloseable {
    private final Patience patience;
    private SocketChannel client;
    private SocketChannel server;

    private SocketPair(final Patience patience) {
        this.patience = patience;
    }

    /**
     * TCP on the loopback interface, without Nagle's algorithm.
     *
     * @param patience asked while waiting
     * @return a connection
     */
    public static SocketPair tcp(final Patience patience) {
        final SocketPair pair = new SocketPair(patience);
        try (ServerSocketChannel listener = ServerSocketChannel.open()) {
            listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            pair.connect(listener, listener.getLocalAddress());
            pair.client.setOption(StandardSocketOptions.TCP_NODELAY, true);
            pair.server.setOption(StandardSocketOptions.TCP_NODELAY, true);
            return pair;
        } catch (final IOException e) {
            pair.close();
            throw new UncheckedIOException("TCP over loopback", e);
        }
    }

    /**
     * A Unix domain socket with a name in a folder that is deleted again.
     *
     * @param patience asked while waiting
     * @return a connection
     */
    public static SocketPair unix(final Patience patience) {
        final SocketPair pair = new SocketPair(patience);
        try {
            final Path folder = Files.createTempDirectory("rdma4j-socket-");
            try (ServerSocketChannel listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
                final SocketAddress name = UnixDomainSocketAddress.of(folder.resolve("socket"));
                listener.bind(name);
                pair.connect(listener, name);
                return pair;
            } finally {
                Folders.delete(folder);
            }
        } catch (final IOException e) {
            pair.close();
            throw new UncheckedIOException("Unix domain socket", e);
        }
    }

    /** The listener's backlog takes the connection before it is accepted. */
    private void connect(final ServerSocketChannel listener, final SocketAddress name) throws IOException {
        client = SocketChannel.open(name);
        server = listener.accept();
        client.configureBlocking(false);
        server.configureBlocking(false);
    }

    /**
     * The end that connected.
     *
     * @return one end
     */
    public SocketChannel client() {
        return client;
    }

    /**
     * The end that accepted.
     *
     * @return the other end
     */
    public SocketChannel server() {
        return server;
    }

    /**
     * Writes all of a buffer, from its first byte.
     *
     * @param end  one of both
     * @param from what to write
     */
    public void write(final SocketChannel end, final ByteBuffer from) {
        from.clear();
        try {
            while (from.hasRemaining()) {
                end.write(from);
                patience.check();
            }
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Fills all of a buffer.
     *
     * @param end  one of both
     * @param into where to
     */
    public void read(final SocketChannel end, final ByteBuffer into) {
        into.clear();
        try {
            while (into.hasRemaining()) {
                if (end.read(into) < 0) {
                    throw new IllegalStateException("the other end is closed");
                }
                patience.check();
            }
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        CloseHelper.quietCloseAll(client, server);
    }
}
