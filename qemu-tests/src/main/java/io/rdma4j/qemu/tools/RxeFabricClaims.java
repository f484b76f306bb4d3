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
import io.rdma4j.testing.OtherJvm;
import io.rdma4j.tools.Main;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

/** The fabric interfaces between two processes. */
final class RxeFabricClaims {
    static final String DEVICE = "ibv:" + FabricGuest.IBDEV;

    private static final Duration PATIENCE = Duration.ofSeconds(90);
    private static final String LISTENING = "listening at 127.0.0.1:";
    private static final int MESSAGES = 200;
    /** Seconds; the client waits longer, so that the server tells what it saw when nothing comes. */
    private static final int SERVER_PATIENCE = 40;

    private RxeFabricClaims() {
    }

    /** A program with this one's class path. */
    static List<String> java(final String main, final List<String> arguments) {
        final List<String> command = new ArrayList<>(List.of(
            OtherJvm.java(), "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1"));
        command.addAll(OtherJvm.neededOptions());
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), main));
        command.addAll(arguments);
        return command;
    }

    /** Messages both ways, each byte checked. */
    static String pingPong(final String type) throws InterruptedException {
        final String game = "fi_pingpong -d " + DEVICE + " -e " + type + " -c -I " + MESSAGES + " --timeout ";
        final Path log = Path.of(System.getProperty(ResultWriter.FOLDER_PROPERTY, "."), "server-" + type + ".log");
        final AtomicReference<String> port = new AtomicReference<>();
        try (ChildProcess server = ChildProcess.start("server", java(Main.class.getName(),
            List.of((game + SERVER_PATIENCE + " --server -p 0").split(" "))), log, line -> {
                if (line.contains(LISTENING)) {
                    port.set(line.substring(line.indexOf(LISTENING) + LISTENING.length()).strip());
                }
            })) {
            if (!server.await(() -> port.get() != null, PATIENCE)) {
                throw new IllegalStateException("the server does not listen: " + server.tail(20));
            }
            final Outcome outcome = rdma4j(game + 2 * SERVER_PATIENCE + " -p " + port.get() + " 127.0.0.1");
            if (outcome.exitCode() != 0) {
                throw new IllegalStateException(outcome + "; the server says: " + server.tail(30));
            }
            if (!server.await(() -> !server.isAlive(), PATIENCE)) {
                throw new IllegalStateException("the server does not end: " + server.tail(20));
            }
            return outcome.out().strip().replaceAll("\\R", " | ");
        }
    }

    /** The other process' memory, by the keys of the device: written, read, changed by atomics. */
    static String remoteMemory() throws IOException, InterruptedException {
        final Process process = new ProcessBuilder(java(FabricPeerMain.class.getName(), List.of(DEVICE)))
            .redirectError(ProcessBuilder.Redirect.INHERIT).start();
        final BlockingQueue<String> said = new LinkedBlockingQueue<>();
        final Thread reader = new Thread(() -> read(process, said), "peer");
        reader.setDaemon(true);
        reader.start();
        try (FabricPeer near = new FabricPeer(DEVICE);
            PrintWriter orders = new PrintWriter(process.outputWriter(StandardCharsets.US_ASCII), true)) {
            orders.println(near.introduction());
            near.meet(next(said));
            near.fill();
            near.write();
            near.readBack();
            near.requireSum("the first addition", near.add(5), 0);
            near.requireSum("the second addition", near.add(7), 5);
            near.requireSum("the exchange", near.exchange(12, 99), 12);
            near.requireSum("the exchange that finds another word", near.exchange(12, 1), 99);
            orders.println(FabricPeerMain.LOOK);
            final String far = next(said);
            final String expected = near.seen(99);
            if (!far.equals(expected)) {
                throw new IllegalStateException("the other process has " + far + ", not " + expected);
            }
            return near + ": " + far;
        } finally {
            process.destroy();
            process.waitFor(10, TimeUnit.SECONDS);
            process.destroyForcibly();
        }
    }

    private static void read(final Process process, final BlockingQueue<String> said) {
        try (BufferedReader lines = new BufferedReader(
            new InputStreamReader(process.getInputStream(), StandardCharsets.US_ASCII))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                said.add(line);
            }
        } catch (final IOException e) {
            said.add("(lost: " + e + ")");
        }
    }

    private static String next(final BlockingQueue<String> said) throws InterruptedException {
        final String line = said.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        if (line == null) {
            throw new IllegalStateException("the other process says nothing");
        }
        return line;
    }
}
