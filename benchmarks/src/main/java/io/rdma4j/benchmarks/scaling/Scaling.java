/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.benchmarks.scaling;

import io.rdma4j.benchmarks.harness.Arguments;
import io.rdma4j.benchmarks.harness.ChildJvm;
import io.rdma4j.benchmarks.harness.Figures;
import io.rdma4j.benchmarks.harness.Machine;
import io.rdma4j.benchmarks.harness.Patience;
import io.rdma4j.benchmarks.roundtrip.Exchange;
import io.rdma4j.benchmarks.roundtrip.RoundTrips;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * Measures how the cost of a message depends on how many queue pairs and regions there are, and on its length; with one
 * thread and with two. Several processes one after another, as the places of objects in memory differ among them.
 */
public final class Scaling {
    /** Its name in documents and figures. */
    public static final String SECTION = "scaling";
    private static final String USAGE = "usage: Scaling [--quick] [--doc FILE]";
    /** The operand of a process that this one starts. */
    private static final String FORK = "fork";
    private static final String FLOOR = "floor";
    private static final long BOUNCES = 5_000;
    private static final Duration DEADLINE = Duration.ofMinutes(5);
    private static final int FORKS = 5;
    private static final int TURNS = 15;
    private static final int QUICK_TURNS = 3;

    private final ScalingSamples samples = new ScalingSamples();
    private final boolean quick;

    private Scaling(final boolean quick) {
        this.quick = quick;
    }

    /**
     * Prints the tables, and writes them into a document if one is named.
     *
     * @param args see the usage message
     * @throws Exception if the device fails, or an answer does not come in time
     */
    public static void main(final String[] args) throws Exception {
        final Arguments arguments = Arguments.parse(args, USAGE);
        final Scaling scaling = new Scaling(arguments.quick());
        if (arguments.operandOr("").equals(FORK)) {
            scaling.measure();
            scaling.samples.lines().forEach(System.out::println);
            return;
        }
        for (int i = 0; i < scaling.forks(); i++) {
            scaling.fork();
        }
        final List<String> table = scaling.table();
        table.forEach(System.out::println);
        arguments.writeDocument(SECTION, table);
        Figures.writeForThisJdk(SECTION, scaling.figures());
    }

    private int forks() {
        return quick ? 1 : FORKS;
    }

    private int turns() {
        return quick ? QUICK_TURNS : TURNS;
    }

    private void measure() throws IOException, InterruptedException {
        floor();
        new ScalingConnections(samples, turns(), quick).run();
        new ScalingRegions(samples, turns(), quick).run();
        if (!quick) {
            new ScalingSizes(samples, turns()).run();
        }
    }

    /** What it costs that a cache line changes sides, there and back: it depends on the machine's mood. */
    private void floor() throws IOException, InterruptedException {
        final Patience patience = new Patience();
        final Exchange line = RoundTrips.cacheLine(patience);
        final long[] next = new long[2];
        for (int turn = 0; turn < turns(); turn++) {
            samples.add(FLOOR, (double) ScalingWork.both(n -> {
                for (long i = 0; i < n; i++) {
                    line.ping(next[0]++);
                }
            }, n -> {
                for (long i = 0; i < n; i++) {
                    line.pong(next[1]++);
                }
            }, BOUNCES, BOUNCES, patience) / BOUNCES);
        }
    }

    /** The same program with the same flags. */
    private void fork() throws IOException, InterruptedException {
        final List<String> arguments = quick ? List.of(FORK, "--quick") : List.of(FORK);
        ChildJvm.run(List.of(), Scaling.class, arguments, DEADLINE).forEach(samples::take);
    }

    private List<String> table() {
        final List<String> lines = new ArrayList<>(ScalingConnections.table(samples));
        lines.add("");
        lines.addAll(ScalingRegions.table(samples));
        lines.add("");
        if (!quick) {
            lines.addAll(ScalingSizes.table(samples));
            lines.add("");
        }
        lines.add(String.format(Locale.ROOT, "Nanoseconds per message, of elapsed time: with two threads half of what "
            + "one takes is as good as it gets. Medians of %d turns in each of %d process%s ± half of the "
            + "interquartile range. The device is `emulated:`. A cache line that two threads write in turns took %s ns "
            + "there and back (F).", turns(), forks(), forks() == 1 ? "" : "es", samples.cell(FLOOR)));
        lines.addAll(Machine.describe());
        return lines;
    }

    private Map<String, Double> figures() {
        final Map<String, Double> figures = new TreeMap<>();
        for (final String key : samples.keys()) {
            figures.put(key, samples.median(key));
        }
        return figures;
    }
}
