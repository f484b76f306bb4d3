/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.benchmarks.tail;

import io.rdma4j.benchmarks.harness.Arguments;
import io.rdma4j.benchmarks.harness.ChildJvm;
import io.rdma4j.benchmarks.harness.Figures;
import io.rdma4j.benchmarks.harness.Machine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiFunction;
import java.util.stream.Collectors;

/**
 * Measures the slowest of many round trips, with a busy heap beside them and without, under two garbage collectors. The
 * same of a bounced cache line and of Agrona's rings shows what of it is the machine's and the JVM's.
 */
public final class Tail {
    /** Its name in documents and figures. */
    public static final String SECTION = "tail";
    private static final String USAGE = "usage: Tail [--quick] [--doc FILE] [SECONDS]";
    private static final int SECONDS = 60;
    private static final long QUICK_MILLIS = 400;
    private static final Duration SPARE = Duration.ofMinutes(3);
    private static final List<String> HEAP = List.of("-Xms1g", "-Xmx1g", "-XX:+AlwaysPreTouch");
    private static final Map<String, String> NAMES = Map.of("floor", "cache line bounced (F)", "rings",
        "two Agrona rings", "send", "RC SEND", "write", "RDMA WRITE, memory polled");

    private final long millis;
    private final Map<String, TailRun> runs = new LinkedHashMap<>();

    private Tail(final long millis) {
        this.millis = millis;
    }

    /**
     * Prints the tables, and writes them into a document if one is named.
     *
     * @param args see the usage message; seconds for SEND and WRITE beside the busy heap, a third for all others
     * @throws Exception if the device fails, or an answer does not come in time
     */
    public static void main(final String[] args) throws Exception {
        final Arguments arguments = Arguments.parse(args, USAGE);
        final long usual = arguments.quick() ? QUICK_MILLIS : 1000L * SECONDS;
        final Tail tail =
            new Tail(arguments.operand() == null ? usual : 1000 * Long.parseLong(arguments.operand()));
        for (final String collector : new String[] {"G1", "Z"}) {
            tail.run(collector, "quiet");
            tail.run(collector, TailProcess.BUSY);
        }
        final List<String> table = tail.table();
        table.forEach(System.out::println);
        arguments.writeDocument(SECTION, table);
        Figures.writeForThisJdk(SECTION, tail.figures());
    }

    private void run(final String collector, final String heap) throws IOException, InterruptedException {
        final Path log = Files.createTempFile("rdma4j-benchmark", ".log");
        try {
            final List<String> flags = new ArrayList<>(HEAP);
            flags.add("-XX:+Use" + collector + "GC");
            flags.add(String.format(Locale.ROOT, TailPauses.FLAG, log));
            final Duration all = Duration.ofMillis(millis * TailProcess.EXCHANGES.size()).plus(SPARE);
            runs.put(collector + "." + heap, new TailRun(ChildJvm.run(flags, TailProcess.class,
                List.of(Long.toString(millis), heap), all), log));
        } finally {
            Files.delete(log);
        }
    }

    private List<String> table() {
        final List<String> lines = new ArrayList<>();
        lines.add("| collector, heap | round trip of 64 bytes | p50 ns | p99 ns | p99.9 ns | p99.99 µs | max µs "
            + "| max outside of safepoints µs | p99.9 if one were due every 10 µs, µs |");
        lines.add("|---|---|--:|--:|--:|--:|--:|--:|--:|");
        rows(lines, TailRun::percentiles);
        lines.add("");
        lines.add("| collector, heap | per second | round trips" + Arrays.stream(TailRun.LONGER_THAN)
            .mapToObj(micros -> String.format(Locale.ROOT, " | > %,d µs", micros)).collect(Collectors.joining())
            + " | > 10 µs in safepoints | threads preempted | threads that waited |");
        lines.add("|---|---|--:|--:|--:|--:" + "|--:".repeat(TailRun.LONGER_THAN.length) + "|");
        rows(lines, TailRun::stalls);
        lines.add("");
        runs.forEach((key, run) -> lines.add("- " + name(key) + ": " + run.describe() + "."));
        lines.add("");
        lines.add(String.format(Locale.ROOT, "%.1f s of SEND and of WRITE beside the busy heap, a third of that of "
            + "all others, in turns. The busy heap has %d MB of lists and is to allocate %d MB/s, in %d bursts per "
            + "second, of which one in %d lists is kept. JVMs with `%s` and `-XX:+UseG1GC` or `-XX:+UseZGC`.",
            millis / 1e3, TailHeap.LIVE_MEGABYTES, TailHeap.MEGABYTES_PER_SECOND, TailHeap.BURSTS_PER_SECOND,
            TailHeap.KEPT, String.join(" ", HEAP)));
        lines.addAll(Machine.describe());
        return lines;
    }

    private void rows(final List<String> lines, final BiFunction<TailRun, String, String> cells) {
        for (final Map.Entry<String, TailRun> run : runs.entrySet()) {
            for (final String exchange : TailProcess.EXCHANGES) {
                lines.add("| " + name(run.getKey()) + " | " + NAMES.get(exchange) + " | "
                    + cells.apply(run.getValue(), exchange) + " |");
            }
        }
    }

    private static String name(final String key) {
        return key.startsWith("Z") ? "ZGC, " + key.substring(2) : key.replace(".", ", ");
    }

    private Map<String, Double> figures() {
        final Map<String, Double> figures = new TreeMap<>();
        runs.forEach((key, run) -> {
            for (final String exchange : TailProcess.EXCHANGES) {
                final String place = key + "." + exchange + ".";
                figures.put(place + "p50", run.percentile(exchange, 50));
                figures.put(place + "p99.9", run.percentile(exchange, 99.9));
                figures.put(place + "p99.99", run.percentile(exchange, 99.99));
                figures.put(place + "max", run.max(exchange));
                figures.put(place + "maxOutside", run.maxOutside(exchange));
            }
        });
        return figures;
    }
}
