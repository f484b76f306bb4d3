/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs;

import io.rdma4j.RdmaException;

import io.rdma4j.base.Deadline;
import io.rdma4j.base.SocketErrors;
import io.rdma4j.base.Sockets;
import io.rdma4j.base.Undo;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;

/** A TCP connection to a peer on which nothing is waited for without a deadline. Owns the channel. */
final class PeerSocket implements AutoCloseable {
    private static final int ECANCELED = 125;

    private final SocketChannel channel;
    private final InetSocketAddress address;
    private final String operation;
    private final FrameReader reader = new FrameReader();
    private final Selector selector;
    private final SelectionKey key;

    private PeerSocket(final SocketChannel channel, final InetSocketAddress address, final String operation,
        final int interest) throws IOException {
        this.channel = channel;
        this.address = address;
        this.operation = operation;
        channel.configureBlocking(false);
        selector = Selector.open();
        key = channel.register(selector, interest);
    }

    /** Takes a connected channel over, also if it fails: then the channel is closed. */
    static PeerSocket of(final SocketChannel channel, final InetSocketAddress address, final String operation) {
        return open(channel, address, operation, 0);
    }

    private static PeerSocket open(
        final SocketChannel channel, final InetSocketAddress address, final String operation, final int interest) {
        try {
            return new PeerSocket(channel, address, operation, interest);
        } catch (final IOException e) {
            closeQuietly(channel);
            throw SocketErrors.of(operation, address, e);
        }
    }

    static PeerSocket connect(final InetSocketAddress to, final String operation, final Deadline deadline) {
        final SocketChannel channel;
        try {
            channel = SocketChannel.open();
        } catch (final IOException e) {
            throw SocketErrors.of(operation, to, e);
        }
        final PeerSocket socket = open(channel, to, operation, SelectionKey.OP_CONNECT);
        try (Undo undo = new Undo()) {
            undo.add(socket::close);
            socket.establish(deadline);
            undo.forget();
            return socket;
        }
    }

    private void establish(final Deadline deadline) {
        try {
            boolean connected = Sockets.connect(channel, address);
            while (!connected) {
                await(SelectionKey.OP_CONNECT, deadline, "a TCP connection");
                connected = channel.finishConnect();
            }
            // A handshake of small messages that are answered at once.
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        } catch (final IOException e) {
            throw SocketErrors.of(operation, address, e);
        }
    }

    InetSocketAddress address() {
        return address;
    }

    void send(final ByteBuffer message, final Deadline deadline) {
        try {
            while (channel.write(message) >= 0 && message.hasRemaining()) {
                await(SelectionKey.OP_WRITE, deadline, "room to send");
            }
        } catch (final IOException e) {
            throw whatThePeerSaid(e);
        }
    }

    /** A peer that closed may have said why before. */
    private RdmaException whatThePeerSaid(final IOException failure) {
        final RdmaException said = refusal();
        return said == null ? SocketErrors.of(operation, address, failure) : said;
    }

    /** What the peer has said by now, without waiting, if it has refused; else null. */
    RdmaException refusal() {
        try {
            return reader.read(channel) && reader.kind() == ConnectWire.REFUSED
                ? ConnectWire.refusal(reader.payload()).from(address, operation) : null;
        } catch (final IOException | ConnectWire.BadMessage e) {
            // Why it cannot be heard says less than what this side has found.
            return null;
        }
    }

    Hello awaitHello(final Deadline deadline) {
        await(ConnectWire.HELLO, deadline);
        try {
            final Hello hello = ConnectWire.readHello(reader.payload());
            reader.next();
            return hello;
        } catch (final ConnectWire.BadMessage e) {
            throw e.from(address, operation);
        }
    }

    void awaitSignal(final int kind, final Deadline deadline) {
        await(kind, deadline);
        reader.next();
    }

    private void await(final int kind, final Deadline deadline) {
        final String name = ConnectWire.nameOf(kind);
        try {
            while (!reader.read(channel)) {
                await(SelectionKey.OP_READ, deadline, name);
            }
            if (reader.kind() == ConnectWire.REFUSED) {
                throw ConnectWire.refusal(reader.payload());
            }
            if (reader.kind() != kind) {
                throw ConnectWire.malformed("it sent %s where %s belongs", ConnectWire.nameOf(reader.kind()), name);
            }
        } catch (final ConnectWire.BadMessage e) {
            throw new ConnectWire.BadMessage(e.errno(), e.getMessage() + ", while " + name + " was awaited")
                .from(address, operation);
        } catch (final IOException e) {
            throw SocketErrors.of(operation, address, e);
        }
    }

    private void await(final int interest, final Deadline deadline, final String what) throws IOException {
        if (deadline.isPassed()) {
            throw SocketErrors.late(operation, "peer " + address, "the time passed while %s was awaited", what);
        }
        SocketErrors.checkInterrupt(operation, address);
        key.interestOps(interest);
        selector.select(deadline.millis());
        selector.selectedKeys().clear();
    }

    /** Tells the peer as well as possible without waiting; it may be gone, or be the reason. */
    void refuse(final Throwable why) {
        final boolean known = why instanceof RdmaException;
        final int errno = known && ((RdmaException) why).errno() > 0 ? ((RdmaException) why).errno() : ECANCELED;
        refuse(channel, errno, known ? why.getMessage() : why.getClass().getSimpleName());
    }

    static void refuse(final SocketChannel channel, final int errno, final String why) {
        try {
            channel.write(ConnectWire.refused(errno, why));
            // Data that nobody has read turns the end of a TCP connection into a reset, which may overtake the reason.
            channel.read(ByteBuffer.allocate(ConnectWire.MAX_PAYLOAD));
        } catch (final IOException ignored) {
            // The peer sees that the connection ends, at least.
            closeQuietly(channel);
        }
    }

    static void closeQuietly(final SocketChannel channel) {
        try {
            channel.close();
        } catch (final IOException ignored) {
            // Nothing that was written matters any more, and the descriptor is gone all the same.
        }
    }

    @Override
    public void close() {
        closeQuietly(channel);
        try {
            // Only now the descriptor of the channel goes, too: it was kept for the selector.
            selector.close();
        } catch (final IOException e) {
            throw SocketErrors.of(operation, address, e);
        }
    }
}
