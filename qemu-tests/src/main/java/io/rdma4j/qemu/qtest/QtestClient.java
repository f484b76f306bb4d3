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
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * One connection to QEMU's qtest: a command is a line, its answer is a line, {@code OK}, {@code OK VALUE} or
 * {@code FAIL WHY}. A command has taken full effect when its answer is here.
 *
 * <p>Every answer has a deadline. After one is missed or cannot be understood the two sides no longer agree on whose
 * turn it is: the connection is then broken, and each later call says so.
 *
 * <p>Thread-safe: one command at a time. A thread that is interrupted while its command is under way breaks the
 * connection (as with any {@link SocketChannel}); one that was interrupted before does not.
 */
public final class QtestClient implements BusAccess, AutoCloseable {
    private static final int LONGEST_LINE = 4096;
    private static final String OK = "OK";

    private final Path path;
    private final long timeoutNanos;
    private final SocketChannel channel;
    private final Selector selector;
    private final SelectionKey key;
    private final ByteBuffer in = ByteBuffer.allocateDirect(LONGEST_LINE).limit(0);
    private final ByteBuffer out = ByteBuffer.allocateDirect(LONGEST_LINE);
    private final StringBuilder line = new StringBuilder();
    private long roundTrips;
    private String broken;
    private boolean closed;

    private QtestClient(final Path path, final Duration timeout) throws IOException {
        this.path = path;
        this.timeoutNanos = timeout.toNanos();
        channel = SocketChannel.open(StandardProtocolFamily.UNIX);
        Selector opened = null;
        try {
            channel.connect(UnixDomainSocketAddress.of(path));
            channel.configureBlocking(false);
            opened = Selector.open();
            key = channel.register(opened, SelectionKey.OP_READ);
            selector = opened;
        } catch (final IOException e) {
            channel.close();
            if (opened != null) {
                opened.close();
            }
            throw e;
        }
    }

    /**
     * Connects.
     *
     * @param path    the unix-domain socket that QEMU listens at.
     * @param timeout longest wait for one answer.
     * @return a new connection; the caller owns it.
     * @throws RdmaException ENODEV if nobody listens there.
     */
    public static QtestClient connect(final Path path, final Duration timeout) {
        try {
            return new QtestClient(path, timeout);
        } catch (final IOException e) {
            throw RdmaException.of("connect to qtest").device(path).detail("%s", e.getMessage())
                .errno(RdmaException.ENODEV)
                .hint("start QEMU with -qtest unix:%s,server=on,wait=off", path)
                .cause(e).build();
        }
    }

    /**
     * Performs one command.
     *
     * @param command one line, without its end.
     * @return what follows OK in the answer; "" if nothing does.
     * @throws RdmaException EINVAL if QEMU refuses the command, ETIMEDOUT if it does not answer in time, EIO if the
     *                       connection is lost or the answer makes no sense, EBADFD if it was closed.
     */
    public synchronized String command(final String command) {
        if (closed || broken != null) {
            throw failure(command, closed ? "the connection is closed" : "the connection is unusable since: " + broken,
                RdmaException.EBADFD, null);
        }
        final boolean interrupted = Thread.interrupted();
        final String answer;
        try {
            roundTrips++;
            final long deadline = System.nanoTime() + timeoutNanos;
            send(command, deadline);
            answer = readLine(command, deadline);
        } catch (final IOException e) {
            throw breakDown(command, "connection lost: " + e, RdmaException.EIO, e);
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
        return result(command, answer);
    }

    private String result(final String command, final String answer) {
        if (answer.equals(OK)) {
            return "";
        }
        if (answer.startsWith("OK ")) {
            return answer.substring(OK.length()).strip();
        }
        if (answer.startsWith("FAIL") || answer.startsWith("ERR")) {
            throw failure(command, "QEMU answered: " + answer, RdmaException.EINVAL, null);
        }
        throw breakDown(command, "answer is neither OK nor FAIL: '" + answer + "'", RdmaException.EIO, null);
    }

    private void send(final String command, final long deadline) throws IOException {
        final byte[] bytes = (command + '\n').getBytes(StandardCharsets.US_ASCII);
        if (bytes.length > LONGEST_LINE) {
            throw new IllegalArgumentException("a command has at most " + LONGEST_LINE + " bytes, not " + bytes.length);
        }
        out.clear().put(bytes).flip();
        channel.write(out);
        while (out.hasRemaining()) {
            key.interestOps(SelectionKey.OP_WRITE);
            await(command, deadline);
            channel.write(out);
        }
        key.interestOps(SelectionKey.OP_READ);
    }

    private String readLine(final String command, final long deadline) throws IOException {
        line.setLength(0);
        while (true) {
            while (in.hasRemaining()) {
                final char c = (char) (in.get() & 0xff);
                if (c == '\n') {
                    return line.toString();
                }
                line.append(c);
            }
            if (line.length() > LONGEST_LINE) {
                throw breakDown(command, "answer without end: '" + line.substring(0, 80) + "...'",
                    RdmaException.EIO, null);
            }
            fill(command, deadline);
        }
    }

    private void fill(final String command, final long deadline) throws IOException {
        in.clear();
        int n = channel.read(in);
        while (n == 0) {
            await(command, deadline);
            n = channel.read(in);
        }
        in.flip();
        if (n < 0) {
            in.limit(0);
            throw breakDown(command, "QEMU closed the connection; its log says why", RdmaException.EIO, null);
        }
    }

    private void await(final String command, final long deadline) throws IOException {
        final long left = deadline - System.nanoTime();
        if (left <= 0) {
            throw breakDown(command, String.format("no answer within %d ms%s", timeoutNanos / 1_000_000,
                line.length() == 0 ? "" : ", only '" + line + "'"), RdmaException.ETIMEDOUT, null);
        }
        selector.select(Math.max(1, TimeUnit.NANOSECONDS.toMillis(left)));
        selector.selectedKeys().clear();
        if (Thread.currentThread().isInterrupted()) {
            throw breakDown(command, "the thread was interrupted", RdmaException.EIO, null);
        }
    }

    private RdmaException breakDown(
        final String command, final String why, final int errno, final Exception cause) {
        broken = "'" + command + "': " + why;
        return failure(command, why, errno, cause);
    }

    private RdmaException failure(final String command, final String why, final int errno, final Exception cause) {
        return RdmaException.of("qtest command").device(path).object(command)
            .detail("%s", why).errno(errno)
            .hint(errno == RdmaException.ETIMEDOUT
                ? "QEMU hangs, or serves another connection: it takes one at a time" : null)
            .cause(cause).build();
    }

    private int value(final String command) {
        final String text = command(command);
        try {
            return (int) Long.parseUnsignedLong(text.startsWith("0x") ? text.substring(2) : text, 16);
        } catch (final NumberFormatException e) {
            synchronized (this) {
                throw breakDown(command, "answer has no number: 'OK " + text + "'", RdmaException.EIO, e);
            }
        }
    }

    @Override
    public int portRead(final int port, final int size) {
        return value(String.format("in%c 0x%x", suffix(size), port));
    }

    @Override
    public void portWrite(final int port, final int size, final int value) {
        final int mask = size == Integer.BYTES ? -1 : (1 << size * Byte.SIZE) - 1;
        command(String.format("out%c 0x%x 0x%x", suffix(size), port, value & mask));
    }

    private static char suffix(final int size) {
        switch (size) {
            case 1:
                return 'b';
            case 2:
                return 'w';
            case 4:
                return 'l';
            default:
                throw new IllegalArgumentException("an access has 1, 2 or 4 bytes, not " + size);
        }
    }

    @Override
    public int memoryRead(final long address) {
        return value("readl 0x" + Long.toHexString(address));
    }

    @Override
    public void memoryWrite(final long address, final int value) {
        command("writel 0x" + Long.toHexString(address) + " 0x" + Integer.toHexString(value));
    }

    /**
     * Commands sent so far: what a test costs.
     *
     * @return a count that only grows.
     */
    public synchronized long roundTrips() {
        return roundTrips;
    }

    /** Ends the connection. Harmless when called again. */
    @Override
    public synchronized void close() {
        if (!closed) {
            closed = true;
            try (channel; selector) {
                key.cancel();
            } catch (final IOException e) {
                broken = "close: " + e;
            }
        }
    }

    @Override
    public synchronized String toString() {
        return "QtestClient[" + path + " roundTrips=" + roundTrips + (closed ? " closed" : "")
            + (broken == null ? "" : " broken: " + broken) + ']';
    }
}
