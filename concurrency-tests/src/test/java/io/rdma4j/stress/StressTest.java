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
 * Runs the stress tests of this package and below in JVMs of their own and prints their outcomes: each test in every
 * build, for long enough to catch what is plainly wrong; {@code -Drdma4j.tests.long=true} takes several times as many
 * samples. To run them for longer still give jcstress' own arguments: {@code -Drdma4j.jcstress="-m default"}.
 */
class StressTest {
    private static final boolean LONG = Boolean.getBoolean("rdma4j.tests.long");
    private static final String USUAL = "-m quick -sc false -af NONE -f 1 -fsm 1 -iters 1";
    private static final String ARGUMENTS = System.getProperty("rdma4j.jcstress");
    /** A state of these takes commands to make, and pages that the JVM's heap does not count: not very many. */
    private static final String FEW_STATES = " -strideSize 16 -strideCount 8";
    private static final List<Group> APART = List.of(new Group("-t stress\\.[A-Z]", " -time 250"),
        new Group("-t stress\\.(device|wire)\\." + FEW_STATES, " -time 120"));
    /** All at once: finding out what the JVM can do takes seconds for each group, and so does touching the heap. */
    private static final List<Group> TOGETHER =
        List.of(new Group("-t stress\\." + FEW_STATES, " -time 80 -hs 64 -pth false"));
    private static final List<Group> GROUPS = LONG || ARGUMENTS != null ? APART : TOGETHER;
    private static final long DEADLINE_MINUTES = ARGUMENTS == null ? 15 : 600;
    private static final Pattern TEST = Pattern.compile("^\\.{3,} \\[(\\w+)\\] (\\S+)$");

    /** Tests that are run together. */
    private record Group(String selection, String time) {
        List<String> arguments() {
            return List.of((selection + " " + (ARGUMENTS == null ? USUAL + time : ARGUMENTS)).split(" "));
        }
    }

    @Test
    @Timeout(value = 601, unit = TimeUnit.MINUTES)
    void noOutcomeIsForbidden() throws Exception {
        final Path folder = Files.createDirectories(classes().resolveSibling("jcstress"));
        final Path log = folder.resolve("console.txt");
        Files.deleteIfExists(log);
        final List<String> results = new ArrayList<>();
        for (final Group group : GROUPS) {
            final int before = Files.exists(log) ? Files.readAllLines(log).size() : 0;
            final int exit = run(group, folder, log);
            final List<String> ofGroup = results(log, before);
            System.out.println(String.join(System.lineSeparator(), ofGroup));
            assertThat(exit).as("%s", tail(log)).isZero();
            results.addAll(ofGroup);
        }
        assertThat(passed(results)).as("%s", tail(log)).containsExactlyInAnyOrderElementsOf(expected());
        assertThat(results).as("forbidden outcomes seen").noneMatch(StressTest::isForbiddenAndSeen);
    }

    private static int run(final Group group, final Path folder, final Path log)
        throws IOException, InterruptedException {
        final Process process = new ProcessBuilder(command(group, folder)).directory(folder.toFile())
            .redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile())).start();
        try {
            assertThat(process.waitFor(DEADLINE_MINUTES, TimeUnit.MINUTES)).as("in time: %s", tail(log)).isTrue();
            return process.exitValue();
        } finally {
            process.destroyForcibly();
        }
    }

    private static List<String> command(final Group group, final Path folder) {
        final List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), "org.openjdk.jcstress.Main"));
        command.addAll(group.arguments());
        command.addAll(List.of("-v", "-r", folder.resolve("report").toString()));
        command.addAll(List.of("-jvmArgs", "--add-opens java.base/jdk.internal.misc=ALL-UNNAMED"));
        return command;
    }

    private static Path classes() throws URISyntaxException {
        return Path.of(StressTest.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    }

    private static List<String> expected() throws IOException, URISyntaxException {
        final Path top = classes();
        try (var files = Files.walk(top.resolve("io/rdma4j/stress"))) {
            return files.map(file -> top.relativize(file).toString()).filter(name -> name.endsWith("_jcstress.class"))
                .map(name -> name.replace("_jcstress.class", "").replace('/', '.')).toList();
        }
    }

    /** What jcstress prints at the end, over all configurations of a test. */
    private static List<String> results(final Path log, final int from) throws IOException {
        return Files.readAllLines(log).stream().skip(from).dropWhile(line -> !line.startsWith("RUN RESULTS")).toList();
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
