/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.conformance;

import io.rdma4j.RdmaException;
import io.rdma4j.conformance.ConformanceResult.Outcome;
import io.rdma4j.verbs.DeviceAttributes;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * Runs the conformance suite on a device and says what it found, a line for each case:
 * {@code RESULT name PASS|FAIL|SKIP message}, then {@code INFO key=value} lines and
 * {@code N passed, N failed, N skipped}.
 */
public final class ConformanceMain {
    private static final String USAGE = "usage: ConformanceMain DEVICE [--peer DEVICE] [--only PATTERN] [--list]\n"
        + "           [--results FILE] [--effort quick|full|long] [--patience N]\n"
        + "  DEVICE      what to test: emulated:, qtest:SOCKET?ram=FILE, or of a scheme whose\n"
        + "              provider is on the class path\n"
        + "  --peer      send messages between two devices instead of within one\n"
        + "  --only      cases whose name contains A, or B: A,B; * stands for anything; !A,B for neither\n"
        + "  --effort    how often to repeat things (full)\n"
        + "  --patience  factor on all deadlines, for slow machines (1)";

    private final PrintStream out;
    private final Map<Outcome, Integer> counts = new EnumMap<>(Outcome.class);

    private ConformanceMain(final PrintStream out) {
        this.out = out;
        for (final Outcome outcome : Outcome.values()) {
            counts.put(outcome, 0);
        }
    }

    /**
     * Runs the suite and ends the process: 0 if nothing failed, 1 if something did, 2 for wrong arguments.
     *
     * @param args see the usage text.
     */
    @SuppressWarnings("checkstyle:RegexpSinglelineJava")
    public static void main(final String[] args) {
        System.exit(run(args, System.out));
    }

    /**
     * Runs the suite.
     *
     * @param args as of {@link #main}.
     * @param out  takes the lines.
     * @return the exit code.
     */
    public static int run(final String[] args, final PrintStream out) {
        final Arguments arguments;
        try {
            arguments = Arguments.parse(args);
        } catch (final IllegalArgumentException e) {
            out.println(e.getMessage());
            out.println(USAGE);
            return 2;
        }
        if (arguments.list()) {
            ConformanceSuite.matching(arguments.only()).forEach(test -> out.println(test.name()));
            return 0;
        }
        if (arguments.results() == null) {
            return new ConformanceMain(out).runSuite(arguments);
        }
        try (PrintStream file = new PrintStream(Files.newOutputStream(Path.of(arguments.results())), true,
            StandardCharsets.UTF_8)) {
            return new ConformanceMain(new TeeStream(out, file)).runSuite(arguments);
        } catch (final IOException e) {
            out.println("cannot write " + arguments.results() + ": " + e);
            return 1;
        }
    }

    private int runSuite(final Arguments arguments) {
        final long start = System.nanoTime();
        final List<ConformanceCase> cases = ConformanceSuite.matching(arguments.only());
        try {
            runCases(new ConformanceEnv(
                arguments.device(), arguments.peer(), arguments.effort(), arguments.patience()), cases, start);
        } catch (final RdmaException e) {
            report(new ConformanceResult("device", Outcome.FAIL, e.getMessage(), "", null));
        }
        out.println(counts.get(Outcome.PASS) + " passed, " + counts.get(Outcome.FAIL) + " failed, "
            + counts.get(Outcome.SKIP) + " skipped");
        out.flush();
        return counts.get(Outcome.FAIL) == 0 && !cases.isEmpty() ? 0 : 1;
    }

    private void runCases(final ConformanceEnv env, final List<ConformanceCase> cases, final long start) {
        try (ConformanceRunner runner = new ConformanceRunner(env)) {
            describe(env);
            for (final ConformanceCase test : cases) {
                report(runner.run(test));
            }
            summarize(env, System.nanoTime() - start);
        }
    }

    private void describe(final ConformanceEnv env) {
        final DeviceAttributes device = env.device().attributes();
        info("address", env.device().address());
        if (env.hasTwoDevices()) {
            info("peer", env.peer().address());
        }
        info("device", device.name());
        info("version", device.deviceVersion());
        info("fw_ver", device.firmwareVersion());
        env.device().peculiarities().forEach(item -> info("peculiarity", item.name() + " - " + item.description()));
    }

    private void report(final ConformanceResult result) {
        counts.merge(result.outcome(), 1, Integer::sum);
        out.println(result.line());
        result.detail().lines().forEach(line -> out.println("DETAIL " + result.name() + " " + line));
        if (result.duration() != null) {
            out.println("TIME " + result.name() + " " + result.duration().toMillis() + " ms");
        }
        out.flush();
    }

    private void summarize(final ConformanceEnv env, final long nanos) {
        info("messages", env.messages());
        info("bytes", env.bytes());
        info("interrupts", env.interrupts());
        info("duration_ms", nanos / 1_000_000);
    }

    private void info(final String key, final Object value) {
        out.println("INFO " + key + "=" + ConformanceResult.oneLine(String.valueOf(value)));
    }
}
