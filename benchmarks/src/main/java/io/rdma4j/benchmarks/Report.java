/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.benchmarks;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.util.Statistics;

/**
 * Runs the JMH benchmarks and the C program and prints them in one table.
 */
public final class Report {
    private static final String USAGE = "usage: Report [--quick] [--doc FILE] PATH_OF_THE_C_PROGRAM";
    private static final String OPENS = "--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED";
    private static final String LOG = "jmh.log";
    private static final String ALLOCATED = "gc.alloc.rate.norm";
    private static final long DEADLINE_MINUTES = 5;
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
        final List<String> table = new Report(arguments.quick(), arguments.operand()).run();
        table.forEach(System.out::println);
        arguments.writeDocument("rings", table);
    }

    /** The C program runs before and after: a machine that changed meanwhile shows in the mean, not in one column. */
    private List<String> run() throws Exception {
        final Map<String, double[]> before = c();
        final Map<String, RunResult> unchecked = jmh(true);
        final Map<String, RunResult> checked = jmh(false);
        final Map<String, double[]> after = c();
        final List<String> lines = new ArrayList<>();
        lines.add("| work | Java ns ± | C as provider ns | C lock-free ns | ratio to provider, to lock-free | B/op "
            + "| Java ns with bounds checks |");
        lines.add("|---|--:|--:|--:|--:|--:|--:|");
        for (final String[] row : ROWS) {
            final RunResult java = unchecked.get(row[0]);
            final String yardstick = before.containsKey(row[0])
                ? yardstick(median(java), before.get(row[0]), after.get(row[0])) : "| | | |";
            lines.add(String.format(Locale.ROOT, "| %s | %s %s %.0f | %.1f |", row[1], score(java), yardstick,
                allocated(java), median(checked.get(row[0]))));
        }
        lines.add("");
        lines.add("Made by `benchmarks/run.sh" + (quick ? " --quick" : "") + "`: " + forks() + " forks of "
            + iterations() + " iterations of " + iterationMillis() + " ms after " + iterations()
            + " to warm up; Java is their median ± half of the interquartile range; C is the mean of two medians, "
            + "before and after.");
        lines.addAll(Machine.describe());
        return lines;
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

    private static String yardstick(final double java, final double[] before, final double[] after) {
        final double provider = (before[0] + after[0]) / 2;
        final double free = (before[1] + after[1]) / 2;
        return String.format(Locale.ROOT, "| %.1f | %.1f | %.2f, %.2f |", provider, free, java / provider, java / free);
    }

    private static double allocated(final RunResult result) {
        final Result<?> norm = result.getSecondaryResults().get(ALLOCATED);
        if (norm == null) {
            throw new IllegalStateException("the GC profiler gave no " + ALLOCATED + " but "
                + result.getSecondaryResults().keySet());
        }
        return norm.getScore();
    }

    private int forks() {
        return quick ? 2 : 5;
    }

    private int iterations() {
        return quick ? 4 : 8;
    }

    private int iterationMillis() {
        return quick ? 150 : 500;
    }

    private Map<String, RunResult> jmh(final boolean boundsChecksOff) throws RunnerException {
        final Collection<RunResult> results = new Runner(new OptionsBuilder()
            .include("\\.(Post|Poll|Verbs)Benchmark\\.")
            .forks(forks())
            .warmupIterations(iterations())
            .warmupTime(TimeValue.milliseconds(iterationMillis()))
            .measurementIterations(iterations())
            .measurementTime(TimeValue.milliseconds(iterationMillis()))
            .jvmArgs(OPENS, "-Dagrona.disable.bounds.checks=" + boundsChecksOff)
            .addProfiler(GCProfiler.class)
            .shouldFailOnError(true)
            .output(program + "-" + boundsChecksOff + "-" + LOG)
            .build()).run();
        final Map<String, RunResult> byName = new HashMap<>();
        for (final RunResult result : results) {
            byName.put(result.getPrimaryResult().getLabel(), result);
        }
        return byName;
    }

    private Map<String, double[]> c() throws IOException, InterruptedException {
        final Process process = new ProcessBuilder(program, quick ? "30" : "100", "11")
            .redirectError(ProcessBuilder.Redirect.DISCARD).start();
        final String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (!process.waitFor(DEADLINE_MINUTES, TimeUnit.MINUTES) || process.exitValue() != 0) {
            process.destroyForcibly();
            throw new IOException(program + " failed: " + output);
        }
        final Map<String, double[]> figures = new HashMap<>();
        for (final String line : output.split("\n")) {
            final String[] words = line.split(" ");
            figures.put(words[0], new double[] {Double.parseDouble(words[1]), Double.parseDouble(words[2])});
        }
        return figures;
    }
}
