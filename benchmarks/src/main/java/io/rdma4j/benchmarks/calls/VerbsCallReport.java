/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.benchmarks.calls;

import io.rdma4j.benchmarks.harness.Arguments;
import io.rdma4j.benchmarks.harness.ChildProcess;
import io.rdma4j.benchmarks.harness.Figures;
import io.rdma4j.benchmarks.harness.Jdks;
import io.rdma4j.benchmarks.harness.Machine;
import io.rdma4j.testing.Gcc;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;

/**
 * What a call of libibverbs costs, by JNA and by the foreign function interface, beside a C program that calls the same
 * library; in turns, so that a machine that gets busy meets all alike.
 */
public final class VerbsCallReport {
    /** Name of the section. */
    public static final String SECTION = "ibv";

    private static final String USAGE = "usage: VerbsCallReport [--quick] [--doc FILE] PATH_OF_THE_C_PROGRAM";
    private static final Duration DEADLINE = Duration.ofMinutes(5);
    private static final int WITH_FFM = 22;
    private static final int WARM_UPS = 10;
    /** Many and short, so that some of them are not disturbed. */
    private static final int ITERATIONS = 100;
    private static final int ITERATION_MILLIS = 2;
    private static final int WARM_UP_MILLIS = 60;
    private static final List<String[]> ROWS = List.of(new String[][] {
        {"post", "post_send, 1 SGE"},
        {"post16", "16 of them, one call"},
        {"poll1", "poll, 1 completion"},
        {"poll16", "poll, 16 completions"},
        {"pollEmpty", "poll, nothing there"},
    });
    /** What has goals. */
    private static final List<String> QUICK = List.of("post", "poll16");

    private final boolean quick;
    private final String program;
    private final Path library;
    private final Map<String, CallTimes> c = new TreeMap<>();
    private final Map<Way, Map<String, CallTimes>> java = new LinkedHashMap<>();

    /** A JDK and how it calls there: for devices whose calls wait for nothing there are two ways. */
    private record Way(Jdks.Jdk jdk, String calls) {
        String title() {
            return ("critical".equals(calls) ? "FFM, critical" : calls.toUpperCase(Locale.ROOT)) + ", JDK "
                + jdk.major();
        }
    }

    private VerbsCallReport(final boolean quick, final String program, final Path library) throws IOException {
        this.quick = quick;
        this.program = program;
        this.library = library;
        for (final Jdks.Jdk jdk : Jdks.find()) {
            for (final String calls : jdk.major() >= WITH_FFM ? List.of("ffm", "critical") : List.of("jna")) {
                final Way way = new Way(jdk, calls);
                java.put(way, new TreeMap<>());
            }
        }
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
        final Path library = Gcc.stubOfLibibverbs(Path.of(arguments.operand()).toAbsolutePath().getParent());
        final VerbsCallReport report = new VerbsCallReport(arguments.quick(), arguments.operand(), library);
        final List<String> table = report.run();
        table.forEach(System.out::println);
        arguments.writeDocument(SECTION, table);
        Figures.write(SECTION, report.figures());
    }

    private List<String> run() throws Exception {
        for (int round = 0; round < rounds(); round++) {
            for (final Way way : java.keySet()) {
                System.err.println("round " + (round + 1) + " of " + rounds() + ": C, then " + way.title());
                callInC();
                callInJava(way);
            }
        }
        return table();
    }

    private List<String[]> rows() {
        return quick ? ROWS.stream().filter(row -> QUICK.contains(row[0])).toList() : ROWS;
    }

    private int warmUps() {
        return quick ? WARM_UPS / 2 : WARM_UPS;
    }

    private int rounds() {
        return quick ? 1 : 3;
    }

    private void callInC() throws IOException, InterruptedException {
        CallTimes.read(ChildProcess.run(List.of(program, library.toString(), Integer.toString(ITERATION_MILLIS),
            Integer.toString(ITERATIONS)), DEADLINE), c);
    }

    private void callInJava(final Way way) throws RunnerException {
        final List<String> options = new ArrayList<>(List.of("--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED",
            "-Dagrona.disable.bounds.checks=true", "-Drdma4j.ibv.library=" + library, "-Drdma4j.ibv.check=off",
            "-Drdma4j.ibv.calls=" + way.calls()));
        if (way.jdk().major() >= WITH_FFM) {
            options.add("--enable-native-access=ALL-UNNAMED");
        }
        for (final RunResult result : new Runner(new OptionsBuilder()
            .include("\\.VerbsCallBenchmark\\.("
                + rows().stream().map(row -> row[0]).collect(Collectors.joining("|")) + ")$")
            .jvm(way.jdk().java())
            .forks(1)
            .warmupIterations(warmUps())
            .warmupTime(TimeValue.milliseconds(WARM_UP_MILLIS))
            .measurementIterations(ITERATIONS)
            .measurementTime(TimeValue.milliseconds(ITERATION_MILLIS))
            .jvmArgs(options.toArray(String[]::new))
            .shouldFailOnError(true)
            .output(program + '-' + way.jdk().major() + '-' + way.calls() + ".log")
            .build()).run()) {
            final String name = result.getPrimaryResult().getLabel();
            final CallTimes times = java.get(way).computeIfAbsent(name, key -> new CallTimes());
            result.getBenchmarkResults().stream().flatMap(fork -> fork.getIterationResults().stream())
                .forEach(iteration -> times.sample(iteration.getPrimaryResult().getScore()));
        }
    }

    private List<String> table() {
        final List<String> lines = new ArrayList<>();
        lines.add("| call | by | Java ns | C ns | above C, ns |");
        lines.add("|---|---|--:|--:|--:|");
        for (final String[] row : rows()) {
            for (final Way way : java.keySet()) {
                lines.add(String.format(Locale.ROOT, "| %s | %s | %s | %s | %.1f |", row[1], way.title(),
                    java.get(way).get(row[0]).cell(), c.get(row[0]).cell(), above(way, row[0])));
            }
        }
        lines.add("");
        lines.add("Made by `benchmarks/run.sh" + (quick ? " --quick" : "") + " ibv`: " + rounds() + " turns of C and "
            + "each way of Java; a fork of each has " + ITERATIONS + " iterations of " + ITERATION_MILLIS + " ms after "
            + warmUps() + " of " + WARM_UP_MILLIS + " to warm up, a turn of C as many samples. The fastest of all "
            + "[their median, of C that of its turns' medians]; above C is by the fastest: what else runs can only "
            + "add.");
        lines.addAll(Machine.describe());
        return lines;
    }

    private double above(final Way way, final String row) {
        return java.get(way).get(row).fastest() - c.get(row).fastest();
    }

    private Map<String, Double> figures() {
        final Map<String, Double> figures = new TreeMap<>();
        for (final Way way : java.keySet()) {
            for (final String[] row : rows()) {
                final String prefix = row[0] + '.' + way.jdk().major() + '.' + way.calls() + '.';
                figures.put(prefix + "java", java.get(way).get(row[0]).fastest());
                figures.put(prefix + "c", c.get(row[0]).fastest());
            }
        }
        return figures;
    }
}
