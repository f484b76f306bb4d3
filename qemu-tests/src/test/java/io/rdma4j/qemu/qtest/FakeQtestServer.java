/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.qtest;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Speaks qtest at a unix-domain socket, for a {@link FakeMachine} or with answers that a test makes up. */
final class FakeQtestServer implements AutoCloseable {
    /** What to do with a command: the channel takes whatever is to be sent. */
    interface Behaviour {
        void serve(String command, SocketChannel channel) throws IOException, InterruptedException;
    }

    final List<String> commands = new CopyOnWriteArrayList<>();
    private final ServerSocketChannel server;
    private final Behaviour behaviour;
    private final Thread thread;

    FakeQtestServer(final Path socket, final Behaviour behaviour) throws IOException {
        this.behaviour = behaviour;
        server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        server.bind(UnixDomainSocketAddress.of(socket));
        thread = new Thread(this::accept, "fake-qtest");
        thread.setDaemon(true);
        thread.start();
    }

    static Behaviour of(final FakeMachine machine) {
        return (command, channel) -> send(channel, perform(machine, command.split(" ")) + "\n");
    }

    private static String perform(final FakeMachine machine, final String[] words) {
        final int size = "bwl".indexOf(words[0].charAt(words[0].length() - 1)) * 2;
        final long address = Long.decode(words[1]);
        switch (words[0].substring(0, words[0].length() - 1)) {
            case "in":
                return String.format("OK 0x%04x", machine.portRead((int) address, Math.max(1, size)));
            case "out":
                machine.portWrite((int) address, Math.max(1, size), Long.decode(words[2]).intValue());
                return "OK";
            case "read":
                return String.format("OK 0x%016x", machine.memoryRead(address) & 0xffff_ffffL);
            default:
                machine.memoryWrite(address, Long.decode(words[2]).intValue());
                return "OK";
        }
    }

    static void send(final SocketChannel channel, final String text) throws IOException {
        channel.write(ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII)));
    }

    private void accept() {
        try {
            while (true) {
                try (SocketChannel channel = server.accept()) {
                    serveUntilItLeaves(channel);
                }
            }
        } catch (final IOException e) {
            if (server.isOpen()) {
                throw new UncheckedIOException(e);
            }
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** A client that breaks off, with an answer of ours unread, is no fault of the server. */
    private void serveUntilItLeaves(final SocketChannel channel) throws InterruptedException {
        try {
            serve(channel);
        } catch (final IOException gone) {
            commands.add("(connection lost)");
        }
    }

    private void serve(final SocketChannel channel) throws IOException, InterruptedException {
        final StringBuilder line = new StringBuilder();
        final ByteBuffer in = ByteBuffer.allocate(256);
        while (channel.isOpen() && channel.read(in) >= 0) {
            in.flip();
            while (in.hasRemaining()) {
                final char c = (char) in.get();
                if (c == '\n') {
                    commands.add(line.toString());
                    behaviour.serve(line.toString(), channel);
                    line.setLength(0);
                } else {
                    line.append(c);
                }
            }
            in.clear();
        }
    }

    @Override
    public void close() throws IOException {
        server.close();
        thread.interrupt();
    }
}
