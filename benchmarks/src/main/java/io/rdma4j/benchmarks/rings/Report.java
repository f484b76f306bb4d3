/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.benchmarks.rings;

import io.rdma4j.benchmarks.harness.Arguments;
import io.rdma4j.benchmarks.harness.ChildProcess;
import io.rdma4j.benchmarks.harness.Figures;
import io.rdma4j.benchmarks.harness.Jdks;
import io.rdma4j.benchmarks.harness.Machine;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.util.Statistics;

/**
 * Runs the JMH benchmarks, on this JDK and on another one if there is one, and the C program and prints them in one
 * table.
 */
public final class Report {
    private static final String USAGE = "usage: Report [--quick] [--doc FILE] PATH_OF_THE_C_PROGRAM";
    private static final String SECTION = "rings";
    private static final String OPENS = "--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED";
    private static final String LOG = "jmh.log";
    private static final String ALLOCATED = "gc.alloc.rate.norm";
    private static final Duration DEADLINE = Duration.ofMinutes(5);
    /** A whole device in one compilation takes longer to be compiled. */
    private static final int SLOWER_WARM_UP = 3;
    private static final String[][] ROWS = {
        {"postSend", "post_send, 1 SGE of 64 B, doorbell"},
        {"postSend16", "16 of them, one doorbell"},
        {"postReceive", "post_recv, 1 SGE, doorbell"},
        {"poll1", "poll, 1 CQE"},
        {"poll16", "poll, 16 CQEs"},
        {"postDevicePoll", "post, fake device, poll"},
        {"verbsSendReceive", "verbs, emulated device: send, both completions, receive posted again"},
        {"verbsPollEmpty", "verbs, emulated device: empty poll"},
    };

    private final boolean quick;
    private final String program;

    private Report(final boolean quick, final String program) {
        this.quick = quick;
        this.program = program;
    }

    /**
     * Prints the table, and writes it into a document if one is named.
     *
     * @param args see the usage message
     * @throws Exception if one of the programs fails
     */
    public static void main(final String[] args) throws Exception {
        final Arguments arguments = Arguments.parse(args, USAGE);
        if (arguments.operand() == null) {
            throw new IllegalArgumentException("which C program? " + USAGE);
        }
        final Report report = new Report(arguments.quick(), arguments.operand());
        final List<Part> parts = report.run();
        final List<String> table = report.table(parts);
        table.forEach(System.out::println);
        arguments.writeDocument(SECTION, table);
        Figures.write(SECTION, figures(parts));
    }

    /** The C program runs before and after: a machine that changed meanwhile shows in the mean, not in one column. */
    private List<Part> run() throws Exception {
        final List<Part> parts = new ArrayList<>();
        Map<String, double[]> before = c();
        for (final Jdks.Jdk jdk : Jdks.find()) {
            System.err.println("rings on JDK " + jdk.major() + ", " + jdk.home());
            final Map<String, RunResult> unchecked = jmh(jdk, true);
            final Map<String, RunResult> checked = checkedForks() == 0 ? Map.of() : jmh(jdk, false);
            final Map<String, double[]> after = c();
            parts.add(new Part(jdk, unchecked, checked, before, after));
            before = after;
        }
        return parts;
    }

    private List<String> table(final List<Part> parts) {
        final List<String> lines = new ArrayList<>();
        lines.add("| work | JDK | Java ns ± | C as provider ns | C lock-free ns | ratio to provider, to lock-free "
            + "| B/op | Java ns with bounds checks |");
        lines.add("|---|--:|--:|--:|--:|--:|--:|--:|");
        for (final String[] row : ROWS) {
            for (final Part part : parts) {
                lines.add(part.line(row[0], row[1]));
            }
        }
        lines.add("");
        lines.add("Made by `benchmarks/run.sh" + (quick ? " --quick" : "") + "`: " + forks() + " forks of "
            + measured() + " iterations of " + measuredMillis() + " ms after " + warmUps() + " of " + warmUpMillis()
            + " to warm up (verbs: " + SLOWER_WARM_UP + " times as long), with bounds checks "
            + checkedForks() + "; Java is their median ± half of the "
            + "interquartile range; C is the mean of two medians, before and after. JDKs: " + parts.stream()
                .map(part -> part.jdk.major() + " is " + part.name()).collect(Collectors.joining(", ")) + ".");
        lines.addAll(Machine.describe());
        return lines;
    }

    private static Map<String, Double> figures(final List<Part> parts) {
        final Map<String, Double> figures = new TreeMap<>();
        for (final Part part : parts) {
            for (final String[] row : ROWS) {
                part.addFigures(row[0], figures);
            }
        }
        return figures;
    }

    private int forks() {
        return quick ? 1 : 5;
    }

    private int checkedForks() {
        return quick ? 0 : 3;
    }

    private int warmUps() {
        return quick ? 4 : 5;
    }

    private int warmUpMillis() {
        return quick ? 60 : 200;
    }

    private int measured() {
        return quick ? 5 : 10;
    }

    private int measuredMillis() {
        return quick ? 30 : 200;
    }

    private Map<String, RunResult> jmh(final Jdks.Jdk jdk, final boolean boundsChecksOff) throws RunnerException {
        final Map<String, RunResult> results = new HashMap<>(jmh(jdk, boundsChecksOff, "(Post|Poll)", 1));
        results.putAll(jmh(jdk, boundsChecksOff, "Verbs", SLOWER_WARM_UP));
        return results;
    }

    private Map<String, RunResult> jmh(final Jdks.Jdk jdk, final boolean boundsChecksOff, final String which,
        final int slower) throws RunnerException {
        final Collection<RunResult> results = new Runner(new OptionsBuilder()
            .include("\\." + which + "Benchmark\\.")
            .jvm(jdk.java())
            .forks(boundsChecksOff ? forks() : checkedForks())
            .warmupIterations(warmUps())
            .warmupTime(TimeValue.milliseconds((long) slower * warmUpMillis()))
            .measurementIterations(measured())
            .measurementTime(TimeValue.milliseconds(measuredMillis()))
            .jvmArgs(OPENS, "-Dagrona.disable.bounds.checks=" + boundsChecksOff)
            .addProfiler(GCProfiler.class)
            .shouldFailOnError(true)
            .output(program + "-" + jdk.major() + "-" + boundsChecksOff + "-" + slower + "-" + LOG)
            .build()).run();
        final Map<String, RunResult> byName = new HashMap<>();
        for (final RunResult result : results) {
            byName.put(result.getPrimaryResult().getLabel(), result);
        }
        return byName;
    }

    private Map<String, double[]> c() throws IOException, InterruptedException {
        final List<String> output =
            ChildProcess.run(List.of(program, quick ? "10" : "100", quick ? "7" : "11"), DEADLINE);
        final Map<String, double[]> figures = new HashMap<>();
        for (final String line : output) {
            final String[] words = line.split(" ");
            figures.put(words[0], new double[] {Double.parseDouble(words[1]), Double.parseDouble(words[2])});
        }
        return figures;
    }

    /** What was found on one JDK, and by the C program before and after it. */
    private record Part(Jdks.Jdk jdk, Map<String, RunResult> unchecked, Map<String, RunResult> checked,
        Map<String, double[]> before, Map<String, double[]> after) {

        String name() {
            final RunResult any = unchecked.values().iterator().next();
            return any.getParams().getVmName() + " " + any.getParams().getVmVersion();
        }

        String line(final String name, final String title) {
            final RunResult java = unchecked.get(name);
            return String.format(Locale.ROOT, "| %s | %d | %s %s %.0f | %s |", title, jdk.major(), score(java),
                before.containsKey(name) ? yardstick(name) : "| | | |", allocated(java), checked.containsKey(name)
                    ? String.format(Locale.ROOT, "%.1f", median(checked.get(name))) : "");
        }

        private String yardstick(final String name) {
            final double java = median(unchecked.get(name));
            return String.format(Locale.ROOT, "| %.1f | %.1f | %.2f, %.2f |", c(name, 0), c(name, 1),
                java / c(name, 0), java / c(name, 1));
        }

        /** As the provider has it, or without its lock. */
        private double c(final String name, final int form) {
            return (before.get(name)[form] + after.get(name)[form]) / 2;
        }

        void addFigures(final String name, final Map<String, Double> figures) {
            final String prefix = name + "." + jdk.major() + ".";
            figures.put(prefix + "java", median(unchecked.get(name)));
            if (checked.containsKey(name)) {
                figures.put(prefix + "checked", median(checked.get(name)));
            }
            figures.put(prefix + "bytes", allocated(unchecked.get(name)));
            if (before.containsKey(name)) {
                figures.put(prefix + "provider", c(name, 0));
                figures.put(prefix + "free", c(name, 1));
            }
        }

        private static String score(final RunResult result) {
            final Statistics all = result.getPrimaryResult().getStatistics();
            return String.format(Locale.ROOT, "%.1f ± %.1f", median(result),
                (all.getPercentile(75) - all.getPercentile(25)) / 2);
        }

        /** As in the C program: a mean would mostly tell how busy the machine was for a moment. */
        private static double median(final RunResult result) {
            return result.getPrimaryResult().getStatistics().getPercentile(50);
        }

        private static double allocated(final RunResult result) {
            final Result<?> norm = result.getSecondaryResults().get(ALLOCATED);
            if (norm == null) {
                throw new IllegalStateException("the GC profiler gave no " + ALLOCATED + " but "
                    + result.getSecondaryResults().keySet());
            }
            return norm.getStatistics().getPercentile(50);
        }
    }
}
