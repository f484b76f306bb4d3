/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.qtest;

import io.rdma4j.RdmaException;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Answers the messages that QEMU's pvrdma sends through its mad-chardev, and waits for when a GID is bound. In a
 * production set-up a daemon shares the host's MAD service between guests there; alone on the device, yes is always
 * the right answer.
 *
 * <pre>
 *   message, 360 bytes:   0 u32 msg_type (0 request, 1 response)     24 u32 err_code (0 success)
 * </pre>
 *
 * <p>A daemon thread serves until {@link #close()} or until QEMU hangs up.
 */
public final class MadPeer implements AutoCloseable {
    /** Bytes in a message. */
    public static final int MESSAGE_LENGTH = 360;
    static final int MSG_TYPE_OFFSET = 0;
    static final int ERR_CODE_OFFSET = 24;
    static final int MSG_TYPE_RESPONSE = 1;
    private static final long JOIN_MILLIS = 2000;

    private final SocketChannel channel;
    private final Thread thread;
    private final AtomicLong answered = new AtomicLong();

    private MadPeer(final SocketChannel channel) {
        this.channel = channel;
        thread = new Thread(this::serve, "rdma4j-mad-peer");
        thread.setDaemon(true);
        thread.start();
    }

    /**
     * Connects and begins to answer.
     *
     * @param path the unix-domain socket of the chardev that is pvrdma's mad-chardev.
     * @return a new peer; the caller owns it.
     * @throws RdmaException ENODEV if nobody listens there.
     */
    public static MadPeer connect(final Path path) {
        SocketChannel channel = null;
        try {
            channel = SocketChannel.open(StandardProtocolFamily.UNIX);
            channel.connect(UnixDomainSocketAddress.of(path));
            return new MadPeer(channel);
        } catch (final IOException e) {
            if (channel != null) {
                closeQuietly(channel);
            }
            throw RdmaException.of("connect to mad-chardev").device(path).detail("%s", e.getMessage())
                .errno(RdmaException.ENODEV)
                .hint("start QEMU with -chardev socket,id=mads,path=%s,server=on,wait=off", path)
                .cause(e).build();
        }
    }

    private void serve() {
        final ByteBuffer message = ByteBuffer.allocateDirect(MESSAGE_LENGTH).order(ByteOrder.LITTLE_ENDIAN);
        try (channel) {
            while (receive(message)) {
                message.putInt(MSG_TYPE_OFFSET, MSG_TYPE_RESPONSE).putInt(ERR_CODE_OFFSET, 0).flip();
                // Counted before it is sent: who saw the answer sees the count.
                answered.incrementAndGet();
                while (message.hasRemaining()) {
                    channel.write(message);
                }
            }
        } catch (final IOException ignored) {
            // Closed on this side, or QEMU is gone: there is nobody left to answer.
        }
    }

    private boolean receive(final ByteBuffer message) throws IOException {
        message.clear();
        while (message.hasRemaining()) {
            if (channel.read(message) < 0) {
                return false;
            }
        }
        return true;
    }

    /**
     * Messages answered so far.
     *
     * @return a count that only grows.
     */
    public long answered() {
        return answered.get();
    }

    /** Hangs up. Harmless when called again. */
    @Override
    public void close() {
        closeQuietly(channel);
        try {
            thread.join(JOIN_MILLIS);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void closeQuietly(final SocketChannel channel) {
        try {
            channel.close();
        } catch (final IOException ignored) {
            // Nothing was buffered, nothing is lost.
        }
    }
}
