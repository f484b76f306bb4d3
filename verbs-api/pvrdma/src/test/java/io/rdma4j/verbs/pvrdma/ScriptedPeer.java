/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import io.rdma4j.testing.Patience;
import io.rdma4j.verbs.ConnectOptions;
import io.rdma4j.verbs.QpAddress;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * A peer of the connector that says what the test wants, in blocking I/O. Its bytes are written from the description of
 * the protocol, not with the code under test.
 */
final class ScriptedPeer implements AutoCloseable {
    static final int CONNECTS = 1;
    static final int LISTENS = 2;
    static final int RC = 2;
    static final int UD = 4;
    static final int HELLO = 1;
    static final int READY = 2;
    static final int DONE = 3;
    static final int REFUSED = 4;

    private static final byte[] MAGIC = {(byte) 0x89, 'R', 'D', 'M', 'A', '4', 'J', '\n'};
    private static final int TIMEOUT_MILLIS = (int) Patience.millis();

    /** A message, as it came. */
    record Message(int version, int kind, ByteBuffer payload) {
        String text() {
            return StandardCharsets.UTF_8.decode(payload.slice(4, payload.capacity() - 4)).toString();
        }
    }

    private final Socket socket;

    ScriptedPeer(final Socket socket) throws IOException {
        this.socket = socket;
        socket.setSoTimeout(TIMEOUT_MILLIS);
        socket.setTcpNoDelay(true);
    }

    static ScriptedPeer connect(final InetSocketAddress to) throws IOException {
        return new ScriptedPeer(new Socket(to.getAddress(), to.getPort()));
    }

    static ServerSocket listen() throws IOException {
        final ServerSocket server = new ServerSocket(0, 16, InetAddress.getLoopbackAddress());
        server.setSoTimeout(TIMEOUT_MILLIS);
        return server;
    }

    static InetSocketAddress address(final ServerSocket server) {
        return new InetSocketAddress(server.getInetAddress(), server.getLocalPort());
    }

    static byte[] message(final int version, final int kind, final byte[] payload) {
        return ByteBuffer.allocate(16 + payload.length).put(MAGIC).putShort((short) version).putShort((short) kind)
            .putInt(payload.length).put(payload).array();
    }

    static byte[] signal(final int kind) {
        return message(1, kind, new byte[0]);
    }

    static byte[] hello(final int role, final int type, final QpAddress address) {
        return hello(role, type, 5, 16, address, new byte[0]);
    }

    static byte[] hello(final int role, final int type, final int mtu, final int reads, final QpAddress address,
        final byte[] data) {
        return message(1, HELLO, ByteBuffer.allocate(36 + data.length).put((byte) role).put((byte) type)
            .put((byte) mtu).put((byte) reads).put((byte) reads).put(new byte[3]).put(address.gid().bytes())
            .putInt(address.qpn()).putInt(address.psn()).putInt(address.qkey()).put(data).array());
    }

    ScriptedPeer say(final byte[]... messages) throws IOException {
        final ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (final byte[] message : messages) {
            all.write(message);
        }
        socket.getOutputStream().write(all.toByteArray());
        return this;
    }

    ScriptedPeer say(final String text) throws IOException {
        return say(text.getBytes(StandardCharsets.US_ASCII));
    }

    /** The next message; null if the connection ends instead. */
    Message hear() throws IOException {
        final byte[] header = socket.getInputStream().readNBytes(16);
        if (header.length < 16) {
            return null;
        }
        final ByteBuffer fields = ByteBuffer.wrap(header);
        final int length = fields.getInt(12);
        if (length < 0 || length > 36 + ConnectOptions.MAX_PRIVATE_DATA) {
            throw new IOException("length " + length);
        }
        return new Message(fields.getShort(8), fields.getShort(10),
            ByteBuffer.wrap(socket.getInputStream().readNBytes(length)));
    }

    /** The kind of the next message; 0 if the connection ends, also by a reset. */
    int hearKind() {
        try {
            final Message message = hear();
            return message == null ? 0 : message.kind;
        } catch (final IOException e) {
            return 0;
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
