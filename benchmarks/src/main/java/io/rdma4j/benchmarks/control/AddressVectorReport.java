/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.benchmarks.control;

import io.rdma4j.benchmarks.harness.Arguments;
import io.rdma4j.benchmarks.harness.Figures;
import io.rdma4j.benchmarks.harness.Machine;
import io.rdma4j.fabric.AddressVector;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.agrona.concurrent.UnsafeBuffer;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.util.Statistics;

/**
 * Measures address vectors: a million addresses inserted and removed, what memory they take, and lookups by JMH.
 */
public final class AddressVectorReport {
    /** Its name in documents and figures. */
    public static final String SECTION = "vectors";
    private static final String USAGE = "usage: AddressVectorReport [--quick] [--doc FILE]";
    private static final String OPENS = "--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED";
    /** The first one alone where there is little time. */
    private static final List<String> TYPES = List.of("TABLE", "MAP", "SYMMETRIC");
    private static final List<String> LOOKUPS =
        List.of("findOneOfFew", "findNext", "findAny", "readAny", "sourceOneOfFew", "sourceAny");
    /** What has goals, and what they are held against. */
    private static final Map<String, List<String>> QUICK =
        Map.of("1000", List.of("findOneOfFew"), "1000000", List.of("findAny", "readAny"));
    private static final List<String> ENTRIES = List.of("1000", "1000000");
    private static final int MANY = 1_000_000;

    private final boolean quick;
    private final List<String> lines = new ArrayList<>();
    private final Map<String, Double> figures = new TreeMap<>();

    private AddressVectorReport(final boolean quick) {
        this.quick = quick;
    }

    /**
     * Prints the tables, and writes them into a document if one is named.
     *
     * @param args see the usage message
     * @throws Exception if something fails
     */
    public static void main(final String[] args) throws Exception {
        final Arguments arguments = Arguments.parse(args, USAGE);
        final AddressVectorReport report = new AddressVectorReport(arguments.quick());
        final List<String> table = report.run();
        table.forEach(System.out::println);
        arguments.writeDocument(SECTION, table);
        Figures.writeForThisJdk(SECTION, report.figures);
    }

    private List<String> run() throws RunnerException {
        if (!quick) {
            changes();
        }
        lookups();
        lines.addAll(Machine.describe());
        return lines;
    }

    private void changes() {
        lines.add(String.format(Locale.ROOT,
            "| %,d addresses: median, best ns each | insert, one call | insert, a call each | remove | bytes each |",
            MANY));
        lines.add("|---|--:|--:|--:|--:|");
        final UnsafeBuffer addresses = AddressVectorBenchmark.addresses(MANY);
        for (final String type : TYPES) {
            change(type, addresses, 3);
            lines.add(change(type, addresses, 15));
        }
        lines.add("");
    }

    private static String change(final String type, final UnsafeBuffer addresses, final int turns) {
        final long[] names = new long[MANY];
        final long[] one = new long[1];
        final int size = addresses.capacity() / MANY;
        final double[][] nanos = new double[3][turns];
        long bytes = 0;
        for (int turn = 0; turn < turns; turn++) {
            try (AddressVector vector = AddressVectorBenchmark.open(type)) {
                nanos[0][turn] = each(() -> vector.insert(addresses, 0, MANY, names, null));
                bytes = vector.memoryUse();
                nanos[2][turn] = each(() -> vector.remove(names, MANY, 0));
            }
            try (AddressVector vector = AddressVectorBenchmark.open(type)) {
                nanos[1][turn] = each(() -> {
                    for (int i = 0; i < MANY; i++) {
                        vector.insert(addresses, i * size, 1, one, null);
                    }
                });
            }
        }
        Arrays.stream(nanos).forEach(Arrays::sort);
        return String.format(Locale.ROOT, "| %s | %.0f, %.0f | %.0f, %.0f | %.0f, %.0f | %.2f |", type,
            nanos[0][turns / 2], nanos[0][0], nanos[1][turns / 2], nanos[1][0], nanos[2][turns / 2], nanos[2][0],
            (double) bytes / MANY);
    }

    private static double each(final Runnable what) {
        final long before = System.nanoTime();
        what.run();
        return (double) (System.nanoTime() - before) / MANY;
    }

    private void lookups() throws RunnerException {
        lines.add("| lookup: median, best ns | address: one of 64 | the next one | any | any place in as much memory, "
            + "read | source: one of 64 | any |");
        lines.add("|---|--:|--:|--:|--:|--:|--:|");
        final List<String> types = quick ? TYPES.subList(0, 1) : TYPES;
        final List<RunResult> results = new ArrayList<>();
        for (final String entries : ENTRIES) {
            results.addAll(measure(types, entries));
        }
        for (final String type : types) {
            for (final String entries : ENTRIES) {
                final StringBuilder line = new StringBuilder(
                    String.format(Locale.ROOT, "| %s, %,d |", type, Integer.parseInt(entries)));
                for (final String lookup : LOOKUPS) {
                    line.append(wanted(entries).contains(lookup) ? cell(results, lookup, type, entries) : " - |");
                }
                lines.add(line.toString());
            }
        }
    }

    private List<String> wanted(final String entries) {
        return quick ? QUICK.get(entries) : LOOKUPS;
    }

    private Collection<RunResult> measure(final List<String> types, final String entries) throws RunnerException {
        return new Runner(new OptionsBuilder()
            .include("\\.AddressVectorBenchmark\\.(" + String.join("|", wanted(entries)) + ")$")
            .param("type", types.toArray(String[]::new)).param("entries", entries).forks(quick ? 1 : 3)
            .warmupIterations(quick ? 2 : 4).warmupTime(TimeValue.milliseconds(quick ? 120 : 200))
            .measurementIterations(quick ? 3 : 5).measurementTime(TimeValue.milliseconds(quick ? 120 : 200))
            .jvmArgs(OPENS).shouldFailOnError(true).output("benchmarks/target/jmh-vectors-" + entries + ".log")
            .build()).run();
    }

    private String cell(
        final List<RunResult> results, final String name, final String type, final String entries) {
        final Statistics score = results.stream().filter(result -> result.getPrimaryResult().getLabel().equals(name)
            && result.getParams().getParam("type").equals(type)
            && result.getParams().getParam("entries").equals(entries))
            .map(result -> result.getPrimaryResult().getStatistics()).findFirst().orElseThrow();
        figures.put(type + '.' + entries + '.' + name, score.getPercentile(50));
        return String.format(Locale.ROOT, " %.1f, %.1f |", score.getPercentile(50), score.getMin());
    }
}
