/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.tools;

import static io.rdma4j.qemu.tools.CommandLines.rdma4j;

import io.rdma4j.qemu.guest.FabricGuest;
import io.rdma4j.qemu.guest.ResultWriter;
import io.rdma4j.qemu.process.ChildProcess;
import io.rdma4j.qemu.tools.CommandLines.Outcome;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;

/**
 * Programs of libibverbs and of perftest at the other end of the commands, in both roles: a process of their own, on
 * SoftRoCE.
 */
final class RxePeerClaims {
    private static final Duration PATIENCE = Duration.ofSeconds(90);
    private static final long POLL_MILLIS = 20;
    /** The one that follows the IPv4 address. */
    private static final String GID_INDEX = "1";
    private static final String HERE = "127.0.0.1";
    private static final int ITERATIONS = 20;
    /** One of several packets, and not of whole words. */
    private static final int BYTES = 5001;
    private static final int DATAGRAM = 1001;
    /** Each run has its own: a port that was just left cannot be listened at by everybody. */
    private static int port = 18600;

    private final String device;
    private final String theirOptions;

    private RxePeerClaims(final String device, final String theirOptions) {
        this.device = device;
        this.theirOptions = theirOptions;
    }

    /** The commands are on SoftRoCE too. */
    static RxePeerClaims onTheSameDevice() {
        return new RxePeerClaims(RxeFabricClaims.DEVICE, "");
    }

    /** The commands have an emulated device, at the other end of a network cable. */
    static RxePeerClaims overTheCable(final String device) {
        // Both sides must have the same; this is what SoftRoCE takes of an Ethernet's 1500.
        return new RxePeerClaims(device, " -m 1024");
    }

    /** Both roles, each byte looked at by the command; a server of libibverbs looks at some with -c. */
    String pingPong(final boolean datagrams) throws Exception {
        final String program = datagrams ? "ibv_ud_pingpong" : "ibv_rc_pingpong";
        final int bytes = datagrams ? DATAGRAM : BYTES;
        final String theirs = program + " -d " + FabricGuest.IBDEV + " -g " + GID_INDEX
            + (datagrams ? "" : theirOptions) + " -c -e -s " + bytes + " -n " + ITERATIONS;
        final String ours = "pingpong -d " + device + " --peer ibverbs --json --timeout 60 -s " + bytes + " -n "
            + ITERATIONS + (datagrams ? " --ud" : "");
        final String said = ITERATIONS + " iters in ";
        final Outcome near = toServer(theirs, ours, said);
        require(near, "iterations", ITERATIONS);
        require(near, "messages_validated", 2 * ITERATIONS);
        final Outcome far = toClient(theirs, ours, said);
        require(far, "messages", ITERATIONS);
        require(far, "messages_validated", ITERATIONS - 1);
        return program + " as server and as client: " + ITERATIONS + " messages of " + bytes + " bytes each way";
    }

    /** Both roles of a test. */
    String perftest(final String test, final int bytes) throws Exception {
        // ib_atomic_lat has one size, and no option for it.
        final String common = " -F" + (test.startsWith("atomic") ? "" : " -s " + bytes) + " -n " + ITERATIONS;
        final String theirs = "ib_" + test + " -d " + FabricGuest.IBDEV + " -x " + GID_INDEX + theirOptions
            + " --use_old_post_send" + (test.endsWith("bw") ? " -u 18 -t 8 -Q 1" : "") + common;
        final String ours = "perf " + test + " -d " + device + " --peer perftest --json --timeout 60"
            + (test.endsWith("bw") ? " -t 8 -Q 1" : "") + common;
        final Outcome near = toServer(theirs, ours, null);
        requireRow(near, test.startsWith("write_lat") ? ITERATIONS - 1 : ITERATIONS, bytes);
        // What it prints: size, iterations, figures.
        final Outcome far = toClient(theirs, ours, "(?m)^\\s*" + bytes + "\\s+" + ITERATIONS + "\\s");
        if (test.equals("send_lat") || test.equals("write_lat")) {
            requireRow(far, test.equals("send_lat") ? ITERATIONS - 1 : ITERATIONS, bytes);
        } else if (test.equals("read_lat") || test.equals("atomic_lat")) {
            // Nobody tells the end that lends its memory how often it was used.
            far.require(0);
            if (far.json().has("messages")) {
                throw new IllegalStateException("messages are counted in " + far);
            }
        } else {
            require(far, "messages", ITERATIONS);
        }
        return "ib_" + test + " as server and as client: " + ITERATIONS + " of " + bytes + " bytes";
    }

    private static void require(final Outcome outcome, final String name, final int value) {
        outcome.require(0);
        if (outcome.json().get(name).getAsInt() != value) {
            throw new IllegalStateException(name + " is not " + value + " in " + outcome);
        }
    }

    private static void requireRow(final Outcome outcome, final int iterations, final int bytes) {
        outcome.require(0);
        final var row = outcome.json().getAsJsonArray("rows").get(0).getAsJsonObject();
        if (row.get("iterations").getAsInt() != iterations || row.get("bytes").getAsInt() != bytes) {
            throw new IllegalStateException("not " + iterations + " of " + bytes + " bytes in " + outcome);
        }
    }

    /** The program listens. */
    private static Outcome toServer(final String theirs, final String ours, final String said) throws Exception {
        final int at = port++;
        try (Program server = new Program(theirs + " -p " + at)) {
            awaitListener(at, server);
            final Outcome outcome = rdma4j(ours + " " + HERE + ":" + at);
            if (outcome.exitCode() != 0) {
                throw new IllegalStateException(outcome + "; the other end: " + server);
            }
            server.requireSuccess(said);
            return outcome;
        }
    }

    /** The command listens. */
    private static Outcome toClient(final String theirs, final String ours, final String said) throws Exception {
        final int at = port++;
        final CompletableFuture<Outcome> command =
            CompletableFuture.supplyAsync(() -> rdma4j(ours + " --listen=" + HERE + ":" + at),
                task -> new Thread(task, "listening").start());
        awaitListener(at, command);
        try (Program client = new Program(theirs + " -p " + at + " " + HERE)) {
            final Outcome outcome = command.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            if (outcome.exitCode() != 0) {
                throw new IllegalStateException(outcome + "; the other end: " + client);
            }
            client.requireSuccess(said);
            return outcome;
        } catch (final TimeoutException | ExecutionException e) {
            throw new IllegalStateException("the command that listens: " + e, e);
        }
    }

    /** 0A is TCP_LISTEN, the port is in hexadecimal digits (proc(5)). */
    private static void awaitListener(final int at, final Object who) throws IOException, InterruptedException {
        final Pattern line = Pattern.compile(String.format(":%04X 0+:0000 0A ", at));
        final long end = System.nanoTime() + PATIENCE.toNanos();
        while (true) {
            for (final String table : List.of("/proc/net/tcp", "/proc/net/tcp6")) {
                if (Files.exists(Path.of(table)) && line.matcher(Files.readString(Path.of(table))).find()) {
                    return;
                }
            }
            if (System.nanoTime() - end > 0) {
                throw new IllegalStateException("nobody listens at port " + at + ": " + who);
            }
            Thread.sleep(POLL_MILLIS);
        }
    }

    /** One of the others' programs. */
    private static final class Program implements AutoCloseable {
        private final Path log;
        private final ChildProcess process;

        Program(final String line) {
            log = Path.of(System.getProperty(ResultWriter.FOLDER_PROPERTY, "."), "peer-" + port + ".log");
            process = ChildProcess.start("peer", new ArrayList<>(List.of(line.split(" "))), log, text -> {
            });
        }

        /** It ends by itself, with success, and has said so if it is to say something. */
        void requireSuccess(final String said) throws IOException, InterruptedException {
            if (!process.awaitExit(PATIENCE) || !process.toString().contains("exit=0]")) {
                throw new IllegalStateException("the other end did not succeed: " + this);
            }
            final String text = Files.readString(log);
            // Each line has its time in front.
            final String plain = text.replaceAll("(?m)^\\[ *[\\d.]+] ", "");
            if (said != null && !Pattern.compile(said).matcher(plain).find() || text.contains("invalid data")) {
                throw new IllegalStateException("no '" + said + "', or invalid data: " + text);
            }
        }

        @Override
        public void close() {
            process.close();
        }

        @Override
        public String toString() {
            return process + ": " + process.tail(20);
        }
    }
}
