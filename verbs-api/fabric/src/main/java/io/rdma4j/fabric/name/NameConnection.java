/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.name;

import io.rdma4j.base.Deadline;
import io.rdma4j.base.Sockets;
import io.rdma4j.base.Undo;
import java.io.EOFException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.ProtocolException;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** A connection to a name service, by which one thread asks. Every wait has a deadline, in System.nanoTime(). */
final class NameConnection implements AutoCloseable {
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final SocketAddress server;
    private final SocketChannel channel;
    private final Selector selector;
    private final SelectionKey key;
    private final ByteBuffer in = ByteBuffer.allocate(NameFrame.MAX_REPLY);
    private int lastId;

    private NameConnection(final SocketAddress server) throws IOException {
        this.server = server;
        channel = server instanceof UnixDomainSocketAddress ? SocketChannel.open(StandardProtocolFamily.UNIX)
            : SocketChannel.open();
        selector = Selector.open();
        channel.configureBlocking(false);
        key = channel.register(selector, 0);
    }

    /** Where many ask at once the queue of a local socket is full, and connecting fails at once: it is tried again. */
    static NameConnection open(final SocketAddress server, final long deadline) throws IOException {
        while (true) {
            try {
                return tryToOpen(server, deadline);
            } catch (final SocketException e) {
                if (!isQueueFull(server, e) || Deadline.isOver(deadline)) {
                    throw e;
                }
                LockSupport.parkNanos(PAUSE_NANOS);
                if (Thread.currentThread().isInterrupted()) {
                    throw new ClosedByInterruptException();
                }
            }
        }
    }

    /** Java has no class for EAGAIN: it is what is left where a socket is there that may be written to. */
    private static boolean isQueueFull(final SocketAddress server, final SocketException e) {
        return server instanceof UnixDomainSocketAddress local && e.getClass() == SocketException.class
            && Files.isWritable(local.getPath());
    }

    private static NameConnection tryToOpen(final SocketAddress server, final long deadline) throws IOException {
        final NameConnection connection = new NameConnection(server);
        try (Undo undo = new Undo()) {
            undo.add(connection::close);
            if (!connect(connection.channel, server)) {
                do {
                    connection.await(SelectionKey.OP_CONNECT, deadline);
                } while (!connection.channel.finishConnect());
            }
            connection.checkPeer();
            undo.forget();
            return connection;
        }
    }

    private void checkPeer() throws IOException {
        if (server instanceof UnixDomainSocketAddress) {
            if (!NameSocket.isOfThisUser(channel)) {
                throw new ProtocolException("the name service at " + server + " is another user's");
            }
        } else if (channel.getLocalAddress().equals(server)) {
            // On loopback a port that nobody listens on, in the range of those that are given out, can meet itself.
            throw new ConnectException("nobody listens there");
        }
    }

    private static boolean connect(final SocketChannel channel, final SocketAddress server) throws IOException {
        if (server instanceof UnixDomainSocketAddress local && Files.notExists(local.getPath())) {
            throw new ConnectException("nobody listens there");
        }
        return Sockets.connect(channel, server);
    }

    int nextId() {
        return ++lastId;
    }

    /** Sends a request of {@link #nextId} and gives the body of its reply. */
    ByteBuffer ask(final ByteBuffer request, final int operation, final long deadline) throws IOException {
        while (request.hasRemaining()) {
            if (channel.write(request) == 0) {
                await(SelectionKey.OP_WRITE, deadline);
            }
        }
        in.clear();
        while (!NameFrame.isWhole(in, NameFrame.MAX_REPLY)) {
            final int read = channel.read(in);
            if (read < 0) {
                throw new EOFException("the name service at " + server + " closed the connection");
            }
            if (read == 0) {
                await(SelectionKey.OP_READ, deadline);
            }
        }
        return body(operation);
    }

    private ByteBuffer body(final int operation) throws ProtocolException {
        final int length = in.getShort(0) & 0xffff;
        in.flip().position(Short.BYTES);
        final int version = in.get();
        final int found = in.get() & 0xff;
        final int id = in.getInt();
        if (in.limit() != length || version != NameFrame.VERSION || found != (operation | NameFrame.REPLY)
            || id != lastId) {
            throw new ProtocolException(String.format("the name service at %s answers operation 0x%x, version %d, "
                + "request %d, %d bytes; expected are 0x%x, %d, %d, %d", server, found, version, id, in.limit(),
                operation | NameFrame.REPLY, NameFrame.VERSION, lastId, length));
        }
        return in;
    }

    private void await(final int interest, final long deadline) throws IOException {
        final long nanos = deadline - System.nanoTime();
        if (nanos <= 0) {
            throw new SocketTimeoutException("the name service at " + server + " did not answer in time");
        }
        key.interestOps(interest);
        selector.select(TimeUnit.NANOSECONDS.toMillis(nanos) + 1);
        selector.selectedKeys().clear();
        if (Thread.currentThread().isInterrupted()) {
            throw new ClosedByInterruptException();
        }
    }

    /** Waits while the other side has nothing to say: what it says unasked, or its end, is an error. */
    void idle(final long millis) throws IOException {
        key.interestOps(SelectionKey.OP_READ);
        if (selector.select(millis) > 0) {
            selector.selectedKeys().clear();
            in.clear();
            final int read = channel.read(in);
            if (read != 0) {
                throw new EOFException("the name service at " + server + " ended");
            }
        }
    }

    void wakeUp() {
        selector.wakeup();
    }

    @Override
    public void close() {
        try (channel) {
            selector.close();
        } catch (final IOException ignored) {
            // It is gone either way.
        }
    }
}
