/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.benchmarks.wire;

import io.rdma4j.benchmarks.harness.Arguments;
import io.rdma4j.benchmarks.harness.ChildJvm;
import io.rdma4j.benchmarks.harness.Figures;
import io.rdma4j.benchmarks.harness.Machine;
import io.rdma4j.benchmarks.harness.Spread;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.StringJoiner;
import java.util.TreeMap;

/** Measures emulated devices of two processes, by shared memory and by UDP over loopback, beside their yardsticks. */
public final class Wire {
    /** Its name in documents and figures. */
    public static final String SECTION = "wire";
    private static final String USAGE = "usage: Wire [--quick] [--doc FILE]";
    private static final String BYTES = ".bytes";
    private static final String NONE = "";

    private final boolean quick;
    private List<Map<String, Double>> forks;

    private Wire(final boolean quick) {
        this.quick = quick;
    }

    /**
     * Prints the table, and writes it into a document if one is named.
     *
     * @param args see the usage message
     * @throws Exception if a device fails or an answer does not come in time
     */
    public static void main(final String[] args) throws Exception {
        final Arguments arguments = Arguments.parse(args, USAGE);
        final Wire wire = new Wire(arguments.quick());
        wire.forks = ChildJvm.figures(WireFork.class, wire.quick ? 1 : 5, Integer.toString(wire.millis()));
        final List<String> table = wire.table();
        table.forEach(System.out::println);
        arguments.writeDocument(SECTION, table);
        final Map<String, Double> medians = new TreeMap<>();
        wire.forks.forEach(fork -> fork.keySet().forEach(
            key -> medians.computeIfAbsent(key, name -> Spread.of(wire.forks, name).median())));
        Figures.writeForThisJdk(SECTION, medians);
    }

    private int millis() {
        return quick ? 200 : 2_000;
    }

    private List<String> table() {
        final List<String> lines = new ArrayList<>();
        lines.add("| between two processes | wire | measured | in one process | ratio | beside, and ratio to it "
            + "| B/op, both ends |");
        lines.add("|---|---|--:|--:|--:|---|--:|");
        for (final WireWork work : WireWork.values()) {
            lines.add(row("shm", work, besideShm(work)));
        }
        for (final WireWork work : WireWork.OVER_UDP) {
            lines.add(row("udp", work, besideUdp(work)));
        }
        lines.add("");
        lines.add(String.format(Locale.ROOT, "Median of %d pairs of processes (lowest...highest), %d ms for each figure"
            + " after as long to warm up; round trips are medians and include one `System.nanoTime`. One way: `perf`'s"
            + " queues, 64 B in lists of 16. In one process: two threads, `emulated:` without a wire. memcpy:"
            + " `UnsafeBuffer.putBytes` by one thread, always the same buffers. B/op: the threads that measure, answer"
            + " and serve the wire, by `ThreadMXBean`, but for 128 KiB of a run, by which two runs differ whatever"
            + " they do. libfabric is %s.", forks.size(), millis(),
            FiPingpong.isInstalled() ? "`fi_pingpong -e rdm`, which has no stream: its 64 KiB go there and back"
                : "not installed: apt-get install libfabric-bin"));
        lines.addAll(Machine.describe());
        return lines;
    }

    private String row(final String wire, final WireWork work, final String beside) {
        final String key = wire + '.' + work.key();
        final String local = "local." + work.key();
        return String.format(Locale.ROOT, "| %s | %s | %s %s | %.2f %s | %.2f | %s | %s |", work.title(), wire,
            Spread.of(forks, key).text(2), work.unit(), Spread.of(forks, local).median(), work.unit(),
            Spread.ofRatios(forks, key, local).median(), beside,
            isThere(key + BYTES) ? String.format(Locale.ROOT, "%.2f", Spread.of(forks, key + BYTES).median()) : NONE);
    }

    private String besideShm(final WireWork work) {
        final String key = "shm." + work.key();
        if (work.isTrip()) {
            return beside(key, work, "Aeron IPC", "aeron", "libfabric shm", "fi.shm");
        }
        final String copy = "copy." + work.bytes();
        return work.bytes() == WireWork.SEND_64K.bytes() ? beside(key, work, "memcpy", copy, "libfabric shm",
            "fi.shm.64k") : beside(key, work, "memcpy", copy);
    }

    private String besideUdp(final WireWork work) {
        final String key = "udp." + work.key();
        return work.isTrip()
            ? beside(key, work, "NIO UDP", "nio", "libfabric udp;ofi_rxd", "fi.udp", "libfabric tcp;ofi_rxm", "fi.tcp")
            : beside(key, work, "libfabric udp;ofi_rxd", "fi.udp.64k", "libfabric tcp;ofi_rxm", "fi.tcp.64k");
    }

    /** Titles and keys in turns. */
    private String beside(final String key, final WireWork work, final String... yardsticks) {
        final StringJoiner all = new StringJoiner("; ");
        for (int i = 0; i < yardsticks.length; i += 2) {
            if (isThere(yardsticks[i + 1])) {
                all.add(String.format(Locale.ROOT, "%s %.2f %s, %.2f", yardsticks[i],
                    Spread.of(forks, yardsticks[i + 1]).median(), work.unit(),
                    Spread.ofRatios(forks, key, yardsticks[i + 1]).median()));
            }
        }
        return all.toString();
    }

    private boolean isThere(final String key) {
        return forks.stream().anyMatch(fork -> fork.containsKey(key));
    }
}
