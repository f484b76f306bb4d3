/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.foreign;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.testing.Background;
import io.rdma4j.testing.Patience;

import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** A program at the other end of a TCP connection, which says what its script has, byte for byte, on its own thread. */
final class ScriptedPeer {
    private static final Duration PATIENCE = Patience.duration();
    private static final Duration SHORT = Duration.ofMillis(300);

    /** What it does. */
    interface Script {
        void play(ScriptedPeer peer) throws IOException;
    }

    /** What is to be tested. */
    interface Side<T> {
        T play(ForeignSocket socket);
    }

    private final Socket socket;
    private final DataInputStream in;

    private ScriptedPeer(final Socket socket) throws IOException {
        this.socket = socket;
        socket.setSoTimeout((int) PATIENCE.toMillis());
        in = new DataInputStream(socket.getInputStream());
    }

    /** The script's program listens, the tested side connects. */
    static <T> T listens(final Script script, final Side<T> client) throws Exception {
        return listens(PATIENCE, script, client);
    }

    /**
     * The script's program listens, and says something too early: it has come before the tested side begins, which
     * waits for a short time only.
     */
    static <T> T listensFor(final String said, final Script script, final Side<T> client) throws Exception {
        final CountDownLatch begin = new CountDownLatch(1);
        return listens(SHORT, peer -> {
            peer.says(said);
            begin.countDown();
            script.play(peer);
        }, socket -> {
            await(begin);
            return client.play(socket);
        });
    }

    private static void await(final CountDownLatch latch) {
        try {
            Patience.await(latch, "what the script's program says");
        } catch (final InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static <T> T listens(final Duration patience, final Script script, final Side<T> client)
        throws Exception {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            final CompletableFuture<Void> end = CompletableFuture.runAsync(() -> play(script, () -> server.accept()),
                Background::run);
            final T result;
            try (ForeignSocket socket = ForeignSocket.connect(
                (InetSocketAddress) server.getLocalSocketAddress(), patience)) {
                result = client.play(socket);
            }
            end.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            return result;
        }
    }

    /** The script's program connects, the tested side listens. */
    static <T> T connects(final Script script, final Side<T> server) throws Exception {
        try (ForeignListener listener =
            new ForeignListener(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
            final CompletableFuture<Void> end = CompletableFuture.runAsync(() -> play(script, () ->
                new Socket(listener.address().getAddress(), listener.address().getPort())), Background::run);
            final T result;
            try (ForeignSocket socket = listener.accept(PATIENCE, PATIENCE)) {
                result = server.play(socket);
            }
            end.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            return result;
        }
    }

    private interface Opening {
        Socket open() throws IOException;
    }

    private static void play(final Script script, final Opening opening) {
        try (Socket socket = opening.open()) {
            script.play(new ScriptedPeer(socket));
        } catch (final IOException e) {
            throw new AssertionError("the script's program: " + e, e);
        }
    }

    void says(final String text) throws IOException {
        says(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    void says(final byte... bytes) throws IOException {
        socket.getOutputStream().write(bytes);
    }

    void hears(final String text) throws IOException {
        hears(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    void hears(final byte... bytes) throws IOException {
        final byte[] came = new byte[bytes.length];
        in.readFully(came);
        assertThat(came).asString(StandardCharsets.ISO_8859_1)
            .isEqualTo(new String(bytes, StandardCharsets.ISO_8859_1));
    }

    /** Nothing more comes: the other side closes. */
    void hearsTheEnd() throws IOException {
        assertThat(in.read()).isEqualTo(-1);
    }
}
