/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.benchmarks.roundtrip;

import io.rdma4j.benchmarks.harness.Arguments;
import io.rdma4j.benchmarks.harness.Machine;
import io.rdma4j.benchmarks.harness.Patience;
import io.rdma4j.verbs.RdmaContext;
import io.rdma4j.verbs.RdmaDevices;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * What it costs one reliable-datagram endpoint to have many peers: how long connecting with all of them takes, what
 * memory each takes, and how long a message to one and back takes with so many connections there.
 */
public final class RdmPeers {
    private static final String USAGE = "usage: RdmPeers [--quick] [--doc FILE] [DEVICE_ADDRESS]";
    private static final Duration DEADLINE = Duration.ofMinutes(10);
    private static final int SLOTS = 16;
    private static final int BYTES = 4096;
    private static final int AT_ONCE = 16;
    private static final int SELDOM = 64;
    private static final int[] COUNTS = {1, 10, 100, 1_000};

    private final boolean quick;
    private final String address;
    private final Patience patience = Patience.of(DEADLINE);

    private RdmPeers(final boolean quick, final String address) {
        this.quick = quick;
        this.address = address;
    }

    /**
     * Prints the table, and writes it into a document if one is named.
     *
     * @param args see the usage message
     * @throws Exception if the device fails
     */
    public static void main(final String[] args) throws Exception {
        final Arguments arguments = Arguments.parse(args, USAGE);
        final List<String> table = new RdmPeers(arguments.quick(), arguments.operandOr("emulated:")).run();
        table.forEach(System.out::println);
        arguments.writeDocument("rdmpeers", table);
    }

    private List<String> run() {
        final List<String> lines = new ArrayList<>();
        lines.add("| RDM peers of one endpoint | connecting all, ms | each, µs | heap of each, both ends, KiB "
            + "| pinned of each, both ends, KiB | 64 bytes there and back, one thread, p50 ns | p99 ns |");
        lines.add("|--:|--:|--:|--:|--:|--:|--:|");
        measure(10);
        for (final int count : COUNTS) {
            lines.add(measure(count));
        }
        lines.add("");
        lines.add(String.format(Locale.ROOT, "Window of %d slots of %d bytes for each peer and direction; all ends are "
            + "in one domain each of one process and read by one thread.", SLOTS, BYTES));
        lines.addAll(Machine.describe());
        return lines;
    }

    private String measure(final int count) {
        // On two devices: each has queue pairs for a thousand ends, not for two.
        try (RdmaContext context = RdmaDevices.open(address);
            RdmaContext others = RdmaDevices.open(othersAddress())) {
            final RdmEnd hub = end(context);
            final RdmEnd[] peers = new RdmEnd[count];
            final long[] names = new long[count];
            for (int i = 0; i < count; i++) {
                peers[i] = end(others);
                names[i] = hub.insert(peers[i].address());
            }
            final long back = peers[0].insert(hub.address());
            final long heap = heap();
            final long pinned = context.reachableBytes() + others.reachableBytes();
            final long began = System.nanoTime();
            connect(hub, peers, names);
            final double millis = (System.nanoTime() - began) / 1e6;
            final double pinnedEach = (context.reachableBytes() + others.reachableBytes() - pinned) / 1024.0 / count;
            final double heapEach = (heap() - heap) / 1024.0 / count;
            final long[] nanos = exchange(hub, peers[0], names[0], back);
            final String line = String.format(Locale.ROOT, "| %,d | %.1f | %.0f | %.1f | %.1f | %d | %d |", count,
                millis, millis * 1e3 / count, heapEach, pinnedEach, nanos[nanos.length / 2],
                nanos[nanos.length / 100 * 99]);
            for (final RdmEnd peer : peers) {
                peer.close();
            }
            hub.close();
            return line;
        }
    }

    private String othersAddress() {
        return address.startsWith("emulated:") ? "emulated:rdm-peers" : address;
    }

    private RdmEnd end(final RdmaContext context) {
        return new RdmEnd(context, patience, RdmEnd.options().window(SLOTS, BYTES));
    }

    /** A message to each; the endpoint takes as many operations at once as it has room for. */
    private static void connect(final RdmEnd hub, final RdmEnd[] peers, final long[] names) {
        final long before = hub.sent();
        int turn = 0;
        for (int i = 0; i < peers.length; i++) {
            hub.send(0, names[i]);
            while (i + 1 - (hub.sent() - before) >= (i + 1 < peers.length ? AT_ONCE : 1)) {
                hub.progress();
                // Those that were dialed just now; and all, now and then: one may have to be dialed twice.
                for (int k = ++turn % SELDOM == 0 ? 0 : Math.max(0, i - AT_ONCE); k <= i; k++) {
                    peers[k].progress();
                }
            }
        }
    }

    private long[] exchange(final RdmEnd hub, final RdmEnd peer, final long there, final long back) {
        final int rounds = quick ? 20_000 : 200_000;
        final long[] nanos = new long[rounds];
        while (!peer.took(0)) {
            hub.progress();
        }
        for (int turn = 0; turn < 3; turn++) {
            long before = System.nanoTime();
            for (int i = 0; i < rounds; i++) {
                hub.send(i, there);
                while (!peer.took(i)) {
                    hub.progress();
                }
                peer.send(i, back);
                while (!hub.took(i)) {
                    peer.progress();
                }
                final long after = System.nanoTime();
                nanos[i] = after - before;
                before = after;
            }
        }
        Arrays.sort(nanos);
        return nanos;
    }

    private static long heap() {
        final Runtime runtime = Runtime.getRuntime();
        long least = Long.MAX_VALUE;
        for (int i = 0; i < 3; i++) {
            System.gc();
            least = Math.min(least, runtime.totalMemory() - runtime.freeMemory());
        }
        return least;
    }
}
