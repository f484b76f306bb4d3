/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs;

import io.rdma4j.base.Deadline;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;

/** Somebody who reached the port of an {@link RdmaListener} and has the time of his first message to prove himself. */
final class Candidate {
    private static final int ECONNRESET = 104;

    private final SocketChannel channel;
    private final InetSocketAddress address;
    private final FrameReader reader = new FrameReader();
    private final Deadline deadline;
    private final SelectionKey key;
    private Hello hello;

    /** Takes the channel over, unless it throws. */
    Candidate(final SocketChannel channel, final Selector selector, final ConnectOptions options) throws IOException {
        this.channel = channel;
        address = (InetSocketAddress) channel.getRemoteAddress();
        deadline = Deadline.after(options.patience(), options.clock());
        channel.configureBlocking(false);
        key = channel.register(selector, SelectionKey.OP_READ);
    }

    /**
     * Takes what arrived.
     *
     * @return what the peer does wrong, or null.
     */
    ConnectWire.BadMessage look() {
        try {
            if (hello == null) {
                return readHello();
            }
            return stillWaits();
        } catch (final ConnectWire.BadMessage e) {
            return e;
        } catch (final IOException e) {
            return new ConnectWire.BadMessage(ECONNRESET, String.valueOf(e.getMessage()));
        }
    }

    private ConnectWire.BadMessage readHello() throws IOException {
        if (!reader.read(channel)) {
            return null;
        }
        if (reader.kind() != ConnectWire.HELLO) {
            return ConnectWire.malformed("it began with %s", ConnectWire.nameOf(reader.kind()));
        }
        hello = ConnectWire.readHello(reader.payload());
        // Else an end that nobody reads would keep the listener awake.
        key.interestOps(0);
        return null;
    }

    /** After the first message there is nothing to be said until it is answered. */
    private ConnectWire.BadMessage stillWaits() throws IOException {
        final int count = channel.read(ByteBuffer.allocate(1));
        if (count < 0) {
            return new ConnectWire.BadMessage(ECONNRESET, "it closed the connection before it was its turn");
        }
        return count == 0 ? null : ConnectWire.malformed("it went on without an answer to its HELLO");
    }

    /** The first message; null if it has not come. */
    Hello hello() {
        return hello;
    }

    boolean isLate() {
        return hello == null && deadline.isPassed();
    }

    Deadline deadline() {
        return deadline;
    }

    InetSocketAddress address() {
        return address;
    }

    SocketChannel channel() {
        return channel;
    }

    /** The listener's selector has nothing to do with it any more. */
    void release() {
        key.cancel();
    }

    /** Says why to who speaks this protocol, and to nobody else. */
    void refuse(final int errno, final String why) {
        if (reader.hasHeader()) {
            PeerSocket.refuse(channel, errno, why);
        }
        close();
    }

    void close() {
        PeerSocket.closeQuietly(channel);
    }
}
