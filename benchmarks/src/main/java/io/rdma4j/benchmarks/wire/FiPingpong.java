/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.benchmarks.wire;

import io.rdma4j.benchmarks.harness.ChildProcess;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/** A yardstick: two processes of libfabric's {@code fi_pingpong}, where it is installed. */
final class FiPingpong {
    private static final String PROGRAM = "fi_pingpong";
    private static final Duration DEADLINE = Duration.ofSeconds(30);
    private static final Duration FIRST_WORD = Duration.ofSeconds(5);
    private static final long PAUSE_MILLIS = 200;
    private static final int MEGABYTES = 5;
    private static final int USEC = 6;
    private static final int COLUMNS = 8;

    private FiPingpong() {
    }

    static boolean isInstalled() {
        return Stream.of(System.getenv().getOrDefault("PATH", "").split(":"))
            .anyMatch(folder -> Files.isExecutable(Path.of(folder, PROGRAM)));
    }

    /** What one size takes: one way, which is half of a round trip. */
    record Result(double usec, double gigabytes) {
    }

    static Result run(final String provider, final int bytes, final int iterations)
        throws IOException, InterruptedException {
        final List<String> words = List.of(PROGRAM, "-p", provider, "-e", "rdm", "-S", Integer.toString(bytes), "-I",
            Integer.toString(iterations));
        final String port = Integer.toString(freePort());
        final Thread server = new Thread(() -> serve(with(words, "-B", port)), "fi_pingpong");
        server.start();
        try {
            return parse(connect(with(words, "-P", port, "127.0.0.1")));
        } finally {
            server.interrupt(); // Ends it if its client never came; else it has ended.
            server.join();
        }
    }

    private static List<String> with(final List<String> words, final String... more) {
        return Stream.concat(words.stream(), Stream.of(more)).toList();
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    private static void serve(final List<String> command) {
        try {
            ChildProcess.run(command, DEADLINE);
        } catch (final IOException e) {
            System.err.println(e.getMessage());
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** The server may not listen yet; but who has waited in vain once does not come again. */
    private static List<String> connect(final List<String> command) throws IOException, InterruptedException {
        final long began = System.nanoTime();
        while (true) {
            Thread.sleep(PAUSE_MILLIS);
            try {
                return ChildProcess.run(command, DEADLINE);
            } catch (final IOException e) {
                if (System.nanoTime() - began > FIRST_WORD.toNanos()) {
                    throw e;
                }
            }
        }
    }

    private static Result parse(final List<String> lines) throws IOException {
        for (final String line : lines) {
            final String[] cells = line.strip().split("\\s+");
            if (cells.length == COLUMNS && Character.isDigit(cells[0].charAt(0))) {
                return new Result(Double.parseDouble(cells[USEC]), Double.parseDouble(cells[MEGABYTES]) / 1_000);
            }
        }
        throw new IOException(PROGRAM + " has printed no row of " + COLUMNS + " columns: " + lines);
    }
}
