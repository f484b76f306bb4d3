/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.foreign;

import io.rdma4j.RdmaException;
import io.rdma4j.base.Deadline;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;

/**
 * A TCP connection with a program of another project, whose messages have no frames: both know how long the next one
 * is. A message has a deadline as a whole, however its bytes dribble. What is written is short, and fits into the
 * socket's buffer. Not thread-safe.
 */
public final class ForeignSocket implements AutoCloseable {
    static final double MILLIS = 1000;
    private static final String OPERATION = "talk to another program";
    private static final int ECONNRESET = 104;
    private static final int ECONNREFUSED = 111;

    private final Socket socket;
    private final InputStream in;
    private final Duration timeout;

    private ForeignSocket(final Socket socket, final Duration timeout) throws IOException {
        this.socket = socket;
        this.timeout = timeout;
        // Messages are answered at once, and some programs expect each in one piece.
        socket.setTcpNoDelay(true);
        in = socket.getInputStream();
    }

    static ForeignSocket over(final Socket socket, final Duration timeout) throws IOException {
        ForeignSocket foreign = null;
        try {
            foreign = new ForeignSocket(socket, timeout);
            return foreign;
        } finally {
            if (foreign == null) {
                socket.close();
            }
        }
    }

    /**
     * Connects with a program that listens.
     *
     * @param to      its address.
     * @param timeout longest wait, for this and for each message.
     * @return the connection.
     * @throws RdmaException if nobody is there.
     */
    public static ForeignSocket connect(final InetSocketAddress to, final Duration timeout) {
        final Socket socket = new Socket();
        try {
            if (to.isUnresolved()) {
                throw new IOException("unknown host");
            }
            socket.connect(to, millis(timeout));
            return over(socket, timeout);
        } catch (final IOException e) {
            close(socket);
            throw RdmaException.of("connect with another program").object(to).detail("%s", e.getMessage())
                .errno(e instanceof SocketTimeoutException ? RdmaException.ETIMEDOUT : ECONNREFUSED)
                .hint("start the other program first, without a HOST, and check the port").cause(e).build();
        }
    }

    static int millis(final Duration timeout) {
        return (int) Math.max(1, Math.min(Integer.MAX_VALUE, timeout.toMillis()));
    }

    /**
     * Who is at the other end.
     *
     * @return its address.
     */
    public InetSocketAddress peer() {
        return (InetSocketAddress) socket.getRemoteSocketAddress();
    }

    /** Waits until the other side closes, or has had time enough to. */
    public void awaitEnd() {
        try {
            socket.setSoTimeout(millis(timeout));
            in.read();
        } catch (final IOException ignored) {
            // It has all that it needs, however it ends.
        }
    }

    /** Reads so many bytes; what tells people what they are. */
    byte[] read(final int length, final String what) {
        final byte[] bytes = new byte[length];
        read(bytes, 0, what);
        return bytes;
    }

    /** Reads the rest of a message whose first bytes are there. */
    void read(final byte[] bytes, final int from, final String what) {
        final Deadline deadline = Deadline.after(timeout, System::nanoTime);
        int at = from;
        try {
            while (at < bytes.length) {
                socket.setSoTimeout((int) Math.min(Integer.MAX_VALUE, deadline.millis()));
                final int came = in.read(bytes, at, bytes.length - at);
                if (came < 0) {
                    throw failed(ECONNRESET, "it ended the connection after %d of %d bytes of %s", at, bytes.length,
                        what).hint("see what it printed; it may have been asked for something else than this side")
                        .build();
                }
                at += came;
                // Not before: whoever comes late himself takes what has come meanwhile.
                if (at < bytes.length && deadline.isPassed()) {
                    throw new SocketTimeoutException();
                }
            }
        } catch (final SocketTimeoutException e) {
            throw failed(RdmaException.ETIMEDOUT, "%d of %d bytes of %s came within %s s", at, bytes.length, what,
                timeout.toMillis() / MILLIS).hint("it hangs, or is another program than was named; or wait longer with "
                + "--timeout").cause(e).build();
        } catch (final IOException e) {
            throw lost(e, what);
        }
    }

    /** Writes a message, in one piece. */
    void write(final byte[] bytes, final String what) {
        try {
            socket.getOutputStream().write(bytes);
        } catch (final IOException e) {
            throw lost(e, what);
        }
    }

    private RdmaException lost(final IOException e, final String what) {
        return failed(ECONNRESET, "the connection broke at %s: %s", what, e.getMessage())
            .hint("see what it printed").cause(e).build();
    }

    /** What to throw when something came that is not what belongs there. */
    RdmaException refused(final String detail, final String hint) {
        return failed(RdmaException.EINVAL, "%s", detail).hint(hint).build();
    }

    private RdmaException.Builder failed(final int errno, final String detail, final Object... args) {
        return RdmaException.of(OPERATION).object(peer()).detail(detail, args).errno(errno);
    }

    private static void close(final Socket socket) {
        try {
            socket.close();
        } catch (final IOException ignored) {
            // There is nothing to be saved.
        }
    }

    @Override
    public void close() {
        close(socket);
    }
}
