/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.traffic;

import io.rdma4j.DeviceAddress;
import io.rdma4j.base.Deadline;
import io.rdma4j.base.SocketErrors;
import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.FiErrno;

import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.UUID;

/**
 * The TCP connection over which two processes tell each other what they play and what their endpoints are called. What
 * comes is checked: it may be of any program.
 */
public final class FabricMeeting implements AutoCloseable {
    private static final int MAGIC = 0x66_70_70_01;
    private static final int MAX_TEXT = 1024;
    private static final double MILLIS = 1000;
    private static final int READY = 0x52;
    private static final String OPERATION = "fi_pingpong";
    private static final UUID THIS_PROCESS = UUID.randomUUID();

    private final Socket socket;
    private final boolean begins;
    private final Answer answer;
    private final DataInputStream in;
    private final DataOutputStream out;

    private FabricMeeting(final Socket socket, final boolean begins, final Duration timeout) throws IOException {
        this.socket = socket;
        this.begins = begins;
        socket.setTcpNoDelay(true);
        answer = new Answer(socket, timeout);
        in = new DataInputStream(answer);
        out = new DataOutputStream(new BufferedOutputStream(socket.getOutputStream()));
    }

    /**
     * Connects with a process that listens.
     *
     * @param to      its address.
     * @param timeout longest wait, for this and for each answer.
     * @return the connection.
     * @throws FabricException with the system's errno, such as FI_ECONNREFUSED if nobody listens there.
     */
    public static FabricMeeting connect(final InetSocketAddress to, final Duration timeout) {
        final Socket socket = new Socket();
        try {
            socket.connect(to, (int) timeout.toMillis());
            return new FabricMeeting(socket, true, timeout);
        } catch (final IOException e) {
            close(socket);
            throw FabricException.from(OPERATION, SocketErrors.of("connect", Answering.textOf(to), e));
        }
    }

    /**
     * Waits for the other process.
     *
     * @param server  listens.
     * @param first   longest wait until it comes.
     * @param timeout longest wait for each answer.
     * @return the connection.
     * @throws FabricException FI_ETIMEDOUT if nobody came.
     */
    public static FabricMeeting accept(final ServerSocket server, final Duration first, final Duration timeout) {
        try {
            server.setSoTimeout((int) first.toMillis());
            return new FabricMeeting(server.accept(), false, timeout);
        } catch (final IOException e) {
            final String at = Answering.textOf((InetSocketAddress) server.getLocalSocketAddress());
            if (!(e instanceof SocketTimeoutException)) {
                throw FabricException.from(OPERATION, SocketErrors.of("accept", at, e));
            }
            throw FabricException.of(OPERATION).detail("nobody came to %s within %s s", at, first.toMillis() / MILLIS)
                .errno(FiErrno.FI_ETIMEDOUT)
                .hint("start the client: rdma4j fi_pingpong HOST; or wait longer with --timeout").cause(e).build();
        }
    }

    /**
     * Whether this side sends the first message.
     *
     * @return true for the one that connected.
     */
    public boolean begins() {
        return begins;
    }

    /**
     * Who is at the other end.
     *
     * @return host and port.
     */
    public String peer() {
        return socket.getInetAddress().getHostAddress() + ':' + socket.getPort();
    }

    /**
     * Tells what this side plays and who it is; checks that the other side plays the same, and meets it. Each side says
     * all at once, and hears all before it judges: one that refuses and goes must not cut off the other, which is to
     * find the same.
     */
    void introduce(final FiPingPongOptions options, final String device, final FabricEnd end) {
        final boolean staysHere = Wires.hasNone(DeviceAddress.parse(device));
        try {
            out.writeInt(MAGIC);
            out.writeLong(THIS_PROCESS.getMostSignificantBits());
            out.writeLong(THIS_PROCESS.getLeastSignificantBits());
            out.writeBoolean(staysHere);
            write(options.game().getBytes(StandardCharsets.UTF_8));
            write(end.name());
            out.flush();
            answer.begin();
            if (in.readInt() != MAGIC) {
                throw refusal("the other process is no fi_pingpong of this version", FiErrno.FI_EINVAL,
                    "start rdma4j fi_pingpong on both sides, in the same version");
            }
            final UUID process = new UUID(in.readLong(), in.readLong());
            final boolean staysThere = in.readBoolean();
            final String game = new String(read(), StandardCharsets.UTF_8);
            final byte[] name = read();
            requireSame(options.game(), game);
            requireReach(process, staysThere || staysHere);
            end.meet(name);
        } catch (final IOException e) {
            throw lost(e);
        }
    }

    private void requireSame(final String own, final String theirs) {
        if (!own.equals(theirs)) {
            throw refusal("this side plays " + own + ", the other side " + theirs, FiErrno.FI_EINVAL,
                "give both the same -e, -S, -I, -w and -c");
        }
    }

    private void requireReach(final UUID process, final boolean staysInside) {
        if (!THIS_PROCESS.equals(process) && staysInside) {
            throw refusal("an emulated device without a wire is a part of its process, and devices of other processes "
                + "do not reach it", FiErrno.FI_EOPNOTSUPP, "give both devices a wire: leave "
                + "wire=none and quirks out; or play within one process: rdma4j fi_pingpong without HOST and --server");
        }
    }

    private void write(final byte[] bytes) throws IOException {
        out.writeInt(bytes.length);
        out.write(bytes);
    }

    private byte[] read() throws IOException {
        final int length = in.readInt();
        if (length < 0 || length > MAX_TEXT) {
            throw refusal("the other process tells " + length + " bytes", FiErrno.FI_EINVAL,
                "start rdma4j fi_pingpong on both sides, in the same version");
        }
        final byte[] bytes = new byte[length];
        in.readFully(bytes);
        return bytes;
    }

    /** Returns when both sides have come so far. */
    void meet() {
        try {
            out.write(READY);
            out.flush();
            answer.begin();
            if (in.read() != READY) {
                throw new EOFException();
            }
        } catch (final IOException e) {
            throw lost(e);
        }
    }

    private FabricException lost(final IOException e) {
        final boolean late = e instanceof SocketTimeoutException;
        return FabricException.of(OPERATION).detail("the other process at %s: %s", peer(),
            late ? "it did not say all within " + answer.timeout.toMillis() / MILLIS + " s"
                : e instanceof EOFException ? "it ended" : e.getMessage())
            .errno(late ? FiErrno.FI_ETIMEDOUT : FiErrno.FI_ECONNRESET)
            .hint("see what it printed").cause(e).build();
    }

    private static FabricException refusal(final String detail, final int errno, final String hint) {
        return FabricException.of(OPERATION).detail("%s", detail).errno(errno).hint(hint).build();
    }

    private static void close(final Socket socket) {
        try {
            socket.close();
        } catch (final IOException e) {
            // There is nothing to be saved.
        }
    }

    @Override
    public void close() {
        close(socket);
    }

    /** What the other side says. An answer has a deadline as a whole, however its bytes dribble. */
    private static final class Answer extends InputStream {
        private final Socket socket;
        private final InputStream in;
        private final Duration timeout;
        private Deadline deadline;

        Answer(final Socket socket, final Duration timeout) throws IOException {
            this.socket = socket;
            this.timeout = timeout;
            in = socket.getInputStream();
        }

        void begin() {
            deadline = Deadline.after(timeout, System::nanoTime);
        }

        @Override
        public int read() throws IOException {
            final byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(final byte[] bytes, final int offset, final int length) throws IOException {
            if (deadline.isPassed()) {
                throw new SocketTimeoutException();
            }
            socket.setSoTimeout((int) Math.min(Integer.MAX_VALUE, deadline.millis()));
            return in.read(bytes, offset, length);
        }
    }
}
