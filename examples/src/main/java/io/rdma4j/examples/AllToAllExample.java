/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.examples;

import io.rdma4j.DeviceAddress;
import io.rdma4j.fabric.AddressFormat;
import io.rdma4j.fabric.Fabric;
import io.rdma4j.fabric.FabricAddress;
import io.rdma4j.fabric.FabricInfo;
import io.rdma4j.fabric.Fabrics;

import java.io.File;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * Four ranks, each of which sends to each: in this JVM, and, with four devices that reach each other from different
 * processes, in four. {@code run.sh all-to-all emulated:a,emulated:b,emulated:c,emulated:d}
 */
final class AllToAllExample {
    private static final int RANKS = 4;
    private static final long MINUTES = 2;
    private static final String NODE = "127.0.0.1";
    private static final String EMULATED = "emulated";
    private static final String NO_WIRE = "none";
    private static final int FIRST_PORT = 20_000;
    private static final int PORTS = 40_000;

    private AllToAllExample() {
    }

    /** Commas may be in an address, too: one that begins another address has a scheme behind it. */
    static String[] devices(final String list) {
        return list.split(",(?=[a-z]+:)");
    }

    static void run(final String devices, final Page page) throws Exception {
        final String[] each = devices(devices);
        page.section("%d ranks in this JVM, each on a thread, on %s", RANKS, each[0]);
        final FabricInfo info = Rank.info(each[0], AddressFormat.DEVICE);
        try (Fabric fabric = Fabrics.open(info)) {
            here(fabric, info, page);
        }
        page.section("%d ranks in %d JVMs", RANKS, RANKS);
        final String objection = objection(each);
        if (objection == null) {
            processes(each, page);
        } else {
            page.done("not started", objection);
        }
    }

    private static void here(final Fabric fabric, final FabricInfo info, final Page page) throws Exception {
        final List<Rank> ranks = new ArrayList<>();
        final ExecutorService threads = Executors.newFixedThreadPool(RANKS);
        try {
            final FabricAddress[] all = new FabricAddress[RANKS];
            for (int i = 0; i < RANKS; i++) {
                ranks.add(new Rank(fabric, info, i, RANKS, null));
                all[i] = ranks.get(i).address();
            }
            final List<Future<String>> results = new ArrayList<>();
            for (final Rank rank : ranks) {
                rank.know(all);
                results.add(threads.submit((Callable<String>) rank::allToAll));
            }
            for (int i = 0; i < RANKS; i++) {
                page.done("rank " + i + " has", results.get(i).get(MINUTES, TimeUnit.MINUTES));
            }
        } finally {
            threads.shutdownNow();
            for (final Rank rank : ranks) {
                rank.close();
            }
        }
    }

    /** Why these devices cannot be those of four processes; null if they can. */
    private static String objection(final String... devices) {
        for (final String device : devices) {
            if (staysInside(device)) {
                return device + " has no wire by which other processes reach it; leave wire=none and quirks out";
            }
        }
        return devices.length == RANKS ? null : "name " + RANKS + " devices: DEVICE,DEVICE,DEVICE,DEVICE";
    }

    /** A device that behaves as another one, by its quirks, has a wire only if it is asked for. */
    private static boolean staysInside(final String device) {
        final DeviceAddress address = DeviceAddress.parse(device);
        final String usual = address.options().getOrDefault("quirks", "").isEmpty() ? "auto" : NO_WIRE;
        return address.scheme().equals(EMULATED) && address.options().getOrDefault("wire", usual).equals(NO_WIRE);
    }

    private static void processes(final String[] devices, final Page page) throws Exception {
        final int service = FIRST_PORT + new Random().nextInt(PORTS);
        final List<Process> all = new ArrayList<>();
        try {
            for (int i = 0; i < RANKS; i++) {
                all.add(start(devices[i], i, service));
            }
            for (int i = 0; i < RANKS; i++) {
                page.done("rank " + i + ", a process of its own, has", result(i, all.get(i)));
            }
        } finally {
            all.forEach(Process::destroyForcibly);
        }
    }

    /** What a rank printed, once it ended well. */
    static String result(final int rank, final Process process) throws Exception {
        if (!process.waitFor(MINUTES, TimeUnit.MINUTES)) {
            throw new IllegalStateException("rank " + rank + " did not end within " + MINUTES + " minutes");
        }
        if (process.exitValue() != 0) {
            throw new IllegalStateException(
                "rank " + rank + " failed, see above; it ended with " + process.exitValue());
        }
        return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
    }

    private static Process start(final String device, final int rank, final int service) throws IOException {
        final List<String> command = new ArrayList<>();
        command.add(System.getProperty("java.home") + File.separator + "bin" + File.separator + "java");
        command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), AllToAllExample.class.getName(), device,
            Integer.toString(rank), Integer.toString(service)));
        return new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    }

    /**
     * One of the four: its address is a service of this node, and so are those of the others.
     *
     * @param args device, rank, number of the first rank's service.
     * @throws Exception what went wrong.
     */
    @SuppressWarnings("checkstyle:RegexpSinglelineJava")
    public static void main(final String[] args) throws Exception {
        rank(args[0], Integer.parseInt(args[1]), Integer.parseInt(args[2]), System.out);
    }

    private static void rank(
        final String device, final int me, final int service, final PrintStream out) throws Exception {
        final FabricInfo info = Rank.info(device, AddressFormat.SOCKADDR_IN);
        try (Fabric fabric = Fabrics.open(info);
            Rank rank = new Rank(fabric, info, me, RANKS, Integer.toString(service + me))) {
            rank.know(NODE, service);
            final String result = rank.allToAll();
            // Once more: whoever has this from all knows that all have what was before, and may end.
            rank.allToAll();
            out.println(result);
        }
    }
}
