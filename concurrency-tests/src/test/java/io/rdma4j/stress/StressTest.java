/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.stress;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Runs the stress tests of this package in JVMs of their own and prints their outcomes. To run them for longer give
 * jcstress' own arguments: {@code -Drdma4j.jcstress="-m default"}.
 */
class StressTest {
    private static final String QUICK = "-m quick -sc false -af NONE -f 1 -fsm 1 -iters 1 -time 400";
    private static final String ARGUMENTS = System.getProperty("rdma4j.jcstress", QUICK);
    private static final long DEADLINE_MINUTES = ARGUMENTS.equals(QUICK) ? 5 : 600;
    private static final Pattern TEST = Pattern.compile("^\\.{3,} \\[(\\w+)\\] (\\S+)$");

    @Test
    @Timeout(value = 601, unit = TimeUnit.MINUTES)
    void noOutcomeIsForbidden() throws Exception {
        final Path folder = Files.createDirectories(classes().resolveSibling("jcstress"));
        final Path log = folder.resolve("console.txt");
        final Process process = new ProcessBuilder(command(folder)).directory(folder.toFile())
            .redirectErrorStream(true).redirectOutput(log.toFile()).start();
        try {
            assertThat(process.waitFor(DEADLINE_MINUTES, TimeUnit.MINUTES)).as("in time: %s", tail(log)).isTrue();
        } finally {
            process.destroyForcibly();
        }
        final List<String> results = results(log);
        System.out.println(String.join(System.lineSeparator(), results));
        assertThat(process.exitValue()).as("%s", tail(log)).isZero();
        assertThat(passed(results)).as("%s", tail(log)).containsExactlyInAnyOrderElementsOf(expected());
        assertThat(results).as("forbidden outcomes seen").noneMatch(StressTest::isForbiddenAndSeen);
    }

    private static List<String> command(final Path folder) {
        final List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), "org.openjdk.jcstress.Main"));
        command.addAll(List.of(ARGUMENTS.split(" ")));
        command.addAll(List.of("-v", "-r", folder.resolve("report").toString()));
        command.addAll(List.of("-jvmArgs", "--add-opens java.base/jdk.internal.misc=ALL-UNNAMED"));
        return command;
    }

    private static Path classes() throws URISyntaxException {
        return Path.of(StressTest.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    }

    private static List<String> expected() throws IOException, URISyntaxException {
        try (var files = Files.list(classes().resolve("io/rdma4j/stress"))) {
            return files.map(file -> file.getFileName().toString()).filter(name -> name.endsWith("_jcstress.class"))
                .map(name -> "io.rdma4j.stress." + name.replace("_jcstress.class", "")).toList();
        }
    }

    /** What jcstress prints at the end, over all configurations of a test. */
    private static List<String> results(final Path log) throws IOException {
        return Files.readAllLines(log).stream().dropWhile(line -> !line.startsWith("RUN RESULTS")).toList();
    }

    private static List<String> passed(final List<String> results) {
        return results.stream().map(TEST::matcher).filter(match -> match.matches() && match.group(1).equals("OK"))
            .map(match -> match.group(2)).toList();
    }

    private static boolean isForbiddenAndSeen(final String line) {
        return line.contains("  Forbidden  ") && !line.contains("   0.00%  ");
    }

    private static String tail(final Path log) throws IOException {
        final List<String> lines = Files.readAllLines(log);
        return String.join(System.lineSeparator(), lines.subList(Math.max(0, lines.size() - 200), lines.size()));
    }
}
