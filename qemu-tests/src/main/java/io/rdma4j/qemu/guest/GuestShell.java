/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.guest;

import io.rdma4j.qemu.process.HostCommand;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;
import java.nio.channels.FileChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;

/**
 * The root shell on a guest's second terminal: carries lines from a standard input to it and what it prints back.
 */
final class GuestShell {
    /** In the share: names a socket, or a terminal. */
    static final String PLACE = "shell.txt";
    private static final Duration SET = Duration.ofSeconds(10);
    private static final int CHUNK = 8192;

    private GuestShell() {
    }

    static String usage(final Path folder) {
        return "qemu-tests/run-guest.sh --attach " + folder;
    }

    /**
     * Connects until the input ends or the guest does.
     *
     * @param folder the guest's folder.
     * @param in     lines for the shell.
     * @param out    gets what it prints.
     * @throws IOException if there is no such guest, or the connection breaks.
     */
    static void attach(final Path folder, final InputStream in, final OutputStream out) throws IOException {
        final Path place = Path.of(Files.readString(folder.resolve(Machine.SHARE).resolve(PLACE)).strip());
        final boolean terminal = place.startsWith("/dev");
        // A terminal is two files: one that waits to be read cannot be written meanwhile.
        try (ByteChannel channel = terminal ? terminal(place, StandardOpenOption.WRITE) : connect(place);
            ByteChannel printed = terminal ? terminal(place, StandardOpenOption.READ) : channel) {
            final Thread printer = new Thread(() -> print(printed, out), "rdma4j-guest-shell");
            printer.setDaemon(true);
            printer.start();
            // The terminal shows what is typed; an empty line makes the shell prompt.
            send(channel, "stty -echo\n\n".getBytes(StandardCharsets.US_ASCII), "stty -echo\n\n".length());
            final byte[] chunk = new byte[CHUNK];
            int n = in.read(chunk);
            while (n >= 0 && printer.isAlive()) {
                send(channel, chunk, n);
                n = in.read(chunk);
            }
        }
    }

    private static ByteChannel connect(final Path socket) throws IOException {
        final SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
        channel.connect(UnixDomainSocketAddress.of(socket));
        return channel;
    }

    private static ByteChannel terminal(final Path device, final StandardOpenOption how) throws IOException {
        HostCommand.run(null, SET, List.of("stty", "-F", device.toString(), "raw", "-echo"));
        return FileChannel.open(device, how);
    }

    private static void send(final ByteChannel channel, final byte[] bytes, final int length) throws IOException {
        final ByteBuffer data = ByteBuffer.wrap(bytes, 0, length);
        while (data.hasRemaining()) {
            channel.write(data);
        }
    }

    private static void print(final ByteChannel channel, final OutputStream out) {
        final ByteBuffer chunk = ByteBuffer.allocate(CHUNK);
        try {
            while (channel.read(chunk) >= 0) {
                out.write(chunk.array(), 0, chunk.position());
                out.flush();
                chunk.clear();
            }
        } catch (final IOException ignored) {
            // The guest ended, or this side closed: either way there is nothing more to print.
        }
    }
}
