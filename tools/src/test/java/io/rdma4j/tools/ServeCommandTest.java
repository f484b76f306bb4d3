/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools;

import io.rdma4j.testing.OtherJvm;
import io.rdma4j.testing.Patience;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

/** serve in a process of its own, up to the first answer and to the end by a signal. */
class ServeCommandTest {
    private static final long DEADLINE_SECONDS = Patience.duration().toSeconds();

    @TempDir
    private Path folder;

    @Test
    void servesUntilItIsEndedAndRemovesItsSockets() throws Exception {
        final Path one = folder.resolve("one");
        final Path two = folder.resolve("two");
        final Process process = start("serve", "--socket", one.toString(), "-d", "emulated:one", "--socket",
            two.toString(), "-d", "emulated:two");
        try (BufferedReader said = new BufferedReader(
            new InputStreamReader(process.getErrorStream(), StandardCharsets.UTF_8))) {
            assertThat(line(said)).isEqualTo("rdma4j: listening at " + one);
            assertThat(line(said)).isEqualTo("rdma4j: listening at " + two);
            for (final Path socket : new Path[] {one, two}) {
                assertThat(version(socket)).contains("max_dma_maps");
                assertThat(line(said)).isEqualTo("rdma4j: " + socket + ": client connected");
                assertThat(line(said)).startsWith("rdma4j: " + socket + ": client gone: 1 requests, 0 refused");
            }
            process.toHandle().destroy(); // The process' own method closes its streams.
            assertThat(process.waitFor(DEADLINE_SECONDS, TimeUnit.SECONDS)).isTrue();
            assertThat(line(said)).isNull();
        } finally {
            process.destroyForcibly();
        }
        assertThat(folder).isEmptyDirectory();
    }

    /** The next line that is ours: newer JVMs warn of what libraries do. */
    private static String line(final BufferedReader said) throws IOException {
        String line = said.readLine();
        while (line != null && (line.isBlank() || line.startsWith("WARNING: "))) {
            line = said.readLine();
        }
        return line;
    }

    private static Process start(final String... args) throws IOException {
        return new ProcessBuilder(OtherJvm.command(List.of(), Main.class, args)).start();
    }

    private static String version(final Path socket) throws IOException {
        try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            channel.connect(UnixDomainSocketAddress.of(socket));
            channel.write(version());
            final ByteBuffer message = ByteBuffer.allocate(1000).order(ByteOrder.LITTLE_ENDIAN);
            while (message.position() < 8 || message.position() < message.getInt(4)) {
                assertThat(channel.read(message)).isPositive();
            }
            return new String(message.array(), 20, message.position() - 20, StandardCharsets.US_ASCII);
        }
    }

    @Test
    void ctrlCIsTheEndThatTheHelpNames() throws Exception {
        final Path socket = folder.resolve("one");
        // What runs in the background of a script ignores SIGINT, and so does what it starts, unless told otherwise.
        final List<String> command = new ArrayList<>(List.of("env", "--default-signal=INT"));
        command.addAll(OtherJvm.command(List.of(), Main.class, "serve", "--socket", socket.toString()));
        final Process process = new ProcessBuilder(command).start();
        try (BufferedReader said = new BufferedReader(
            new InputStreamReader(process.getErrorStream(), StandardCharsets.UTF_8))) {
            assertThat(line(said)).isEqualTo("rdma4j: listening at " + socket);
            assertThat(Patience.ends(new ProcessBuilder("bash", "-c", "kill -INT " + process.pid()).start())).isTrue();
            assertThat(Patience.ends(process)).isTrue();
            assertThat(process.exitValue()).isZero();
            assertThat(line(said)).isNull();
        } finally {
            process.destroyForcibly();
        }
        assertThat(folder).isEmptyDirectory();
    }

    /** What the server says of that at the end is not in the way of the end. */
    @Test
    void endsAlthoughAClientDoesNotReadItsAnswers() throws Exception {
        final Path socket = folder.resolve("deaf");
        final Listening serve = new Listening("serve --socket " + socket + " -d emulated:deaf");
        assertThat(serve.address()).isEqualTo(socket.toString());
        try (SocketChannel client = SocketChannel.open(UnixDomainSocketAddress.of(socket))) {
            client.configureBlocking(false);
            askUntilNobodyAnswers(client, server("deaf"));
            serve.interrupt();
            final Cli.Outcome outcome = serve.outcome();
            assertThat(outcome.exitCode()).as(outcome.err()).isZero();
            assertThat(outcome.err()).contains("the server ends");
        }
        assertThat(folder).isEmptyDirectory();
    }

    private static Thread server(final String device) {
        return Thread.getAllStackTraces().keySet().stream()
            .filter(thread -> thread.getName().equals("rdma4j-vfio-user-" + device)).findFirst().orElseThrow();
    }

    /** Until the server waits for room for its answers. */
    private static void askUntilNobodyAnswers(final SocketChannel client, final Thread server) throws IOException {
        client.write(version());
        final ByteBuffer info = ByteBuffer.allocate(32).order(ByteOrder.LITTLE_ENDIAN).putShort(2, (short) 4)
            .putInt(4, 32).putInt(16, 16);
        final long end = System.nanoTime() + Patience.nanos();
        while (Stream.of(server.getStackTrace()).noneMatch(frame -> frame.getMethodName().equals("awaitRoom"))) {
            assertThat(System.nanoTime() - end).as("%s never waits for its client", server).isNegative();
            client.write(info);
            if (info.hasRemaining()) {
                Patience.pause();
            } else {
                info.clear();
            }
        }
    }

    private static ByteBuffer version() {
        return ByteBuffer.allocate(20).order(ByteOrder.LITTLE_ENDIAN).putShort(2, (short) 1).putInt(4, 20)
            .putShort(18, (short) 1);
    }

    @Test
    void socketsAndDevicesArePairs() {
        final Cli.Outcome outcome = Cli.run("serve", "--socket", "a", "--socket", "b", "-d", "emulated:a");
        assertThat(outcome.exitCode()).isEqualTo(2);
        assertThat(outcome.err()).contains("2 sockets, and 1 devices");
        assertThat(Cli.run("serve").exitCode()).isEqualTo(2);
    }

    @Test
    void eachSocketIsGivenOnce() {
        final Cli.Outcome outcome = Cli.run("serve", "--socket", "a/../b", "-d", "emulated:a", "--socket", "b", "-d",
            "emulated:b");
        assertThat(outcome.exitCode()).isEqualTo(2);
        assertThat(outcome.err()).contains("Option '--socket' (PATH) has b twice");
    }

    @Test
    void whatCannotBeServedFails() {
        final Cli.Outcome outcome = Cli.run("serve", "--socket", folder.resolve("none/socket").toString());
        assertThat(outcome.exitCode()).isEqualTo(1);
        assertThat(outcome.err()).contains("listen at socket failed", "ENOENT");
        assertThat(Cli.run("devinfo").exitCode()).as("the device is free again").isZero();
    }
}
