/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.benchmarks.calls;

import io.rdma4j.benchmarks.harness.Arguments;
import io.rdma4j.benchmarks.harness.Machine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.util.ListStatistics;

/**
 * What a system call costs through JNA and through the foreign function interface, in one table. The latter is left
 * out on a JDK that has none.
 */
public final class NativeCallReport {
    private static final String USAGE = "usage: NativeCallReport [--quick] [--doc FILE] PATH_OF_THE_LOGS";
    private static final String ALLOCATED = "gc.alloc.rate.norm";
    private static final int ITERATIONS = 10;
    private static final int ITERATION_MILLIS = 50;
    private static final String[][] ROWS = {
        {"nothing", "geteuid"},
        {"ioctl", "ioctl, 4 bytes back"},
        {"eventfd", "eventfd, write and read"},
        {"poll", "ppoll, one eventfd that is ready"},
        {"lock", "mlock and munlock, one page"},
        {"pread", "pread, 4 bytes"},
    };

    private final boolean quick;
    private final List<Class<? extends NativeCallBenchmark>> columns = new ArrayList<>();
    private final List<String> titles = new ArrayList<>();

    private NativeCallReport(final boolean quick) {
        this.quick = quick;
        column(JnaDirectCalls.class, "JNA direct");
        column(LibcCalls.class, "`Libc`: JNA direct, checked");
        column(JnaInterfaceCalls.class, "JNA interface");
        if (ForeignFunctions.AVAILABLE) {
            column(FfmErrnoCalls.class, "FFM, errno kept");
            column(FfmCalls.class, "FFM, errno lost");
        }
    }

    private void column(final Class<? extends NativeCallBenchmark> type, final String title) {
        columns.add(type);
        titles.add(title);
    }

    /**
     * Prints the table. If a document is named that has a section for this JDK, it is written there too.
     *
     * @param args see the usage message
     * @throws Exception if a benchmark fails
     */
    public static void main(final String[] args) throws Exception {
        final Arguments arguments = Arguments.parse(args, USAGE);
        if (arguments.operand() == null) {
            throw new IllegalArgumentException("where to log? " + USAGE);
        }
        final List<String> table = new NativeCallReport(arguments.quick()).run(arguments.operand());
        table.forEach(System.out::println);
        final String section = "native-calls-jdk" + Runtime.version().feature();
        if (has(arguments.document(), section)) {
            arguments.writeDocument(section, table);
        }
    }

    private static boolean has(final Path document, final String section) throws IOException {
        return document != null && Files.readString(document).contains("<!-- " + section + ":begin -->");
    }

    private List<String> run(final String log) throws RunnerException {
        final Map<String, ListStatistics> times = new HashMap<>();
        final Map<String, Long> allocated = new HashMap<>();
        for (int round = 0; round < rounds(); round++) {
            for (final String[] row : ROWS) {
                for (final RunResult result : jmh(row[0], log + '-' + row[0] + '-' + round)) {
                    final String name = result.getParams().getBenchmark();
                    collect(result, times.computeIfAbsent(name, key -> new ListStatistics()));
                    allocated.merge(name, allocated(result), Math::min); // The profiler adds its own where little ran.
                }
            }
        }
        final List<String> lines = new ArrayList<>();
        lines.add("| call, ns | " + String.join(" | ", titles) + " |");
        lines.add("|---|" + "--:|".repeat(titles.size()));
        for (final String[] row : ROWS) {
            lines.add("| " + row[1] + " | " + columns.stream().map(type -> type.getName() + '.' + row[0])
                .map(name -> cell(times.get(name), allocated.get(name))).collect(Collectors.joining(" | ")) + " |");
        }
        lines.add("");
        lines.add("Made by `benchmarks/run.sh`: " + rounds() + " forks, taking turns, of " + ITERATIONS
            + " iterations of " + ITERATION_MILLIS + " ms after as many to warm up; the fastest of them [their "
            + "median], and the bytes that a call allocates, if any.");
        lines.addAll(Machine.describe());
        return lines;
    }

    private static void collect(final RunResult result, final ListStatistics times) {
        result.getBenchmarkResults().stream().flatMap(fork -> fork.getIterationResults().stream())
            .forEach(iteration -> times.addValue(iteration.getPrimaryResult().getScore()));
    }

    private static long allocated(final RunResult result) {
        final Result<?> norm = result.getSecondaryResults().get(ALLOCATED);
        return norm == null ? 0 : Math.round(norm.getScore());
    }

    /** What else runs can only add to a call's cost: hence the fastest iteration, and the median to show how much. */
    private static String cell(final ListStatistics times, final long allocated) {
        return String.format(Locale.ROOT, "%.0f [%.0f]%s", times.getMin(), times.getPercentile(50),
            allocated == 0 ? "" : ", " + allocated + " B");
    }

    /** One call in each of the ways, one soon after the other: a machine that gets busy meets them all alike. */
    private Collection<RunResult> jmh(final String call, final String log) throws RunnerException {
        final String ways = columns.stream().map(Class::getSimpleName).collect(Collectors.joining("|"));
        final List<String> jvm = new ArrayList<>(List.of("--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED",
            "-Dagrona.disable.bounds.checks=true"));
        if (ForeignFunctions.AVAILABLE) {
            jvm.add("--enable-native-access=ALL-UNNAMED");
        }
        return new Runner(new OptionsBuilder()
            .include("\\.(" + ways + ")\\." + call + "$")
            .forks(1)
            .warmupIterations(ITERATIONS)
            .warmupTime(TimeValue.milliseconds(ITERATION_MILLIS))
            .measurementIterations(ITERATIONS)
            .measurementTime(TimeValue.milliseconds(ITERATION_MILLIS))
            .jvmArgs(jvm.toArray(String[]::new))
            .addProfiler(GCProfiler.class)
            .shouldFailOnError(true)
            .output(log + ".log")
            .build()).run();
    }

    private int rounds() {
        return quick ? 1 : 4;
    }
}
