/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.perf;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * What is known of the processors that this process may use, and what to do for steadier times.
 *
 * @param allowed   those that it may use, as in {@code /proc/self/status}.
 * @param online    those that there are.
 * @param isolated  those that the scheduler leaves alone, by the kernel's argument isolcpus.
 * @param governors how those that it may use choose their frequency; empty if the kernel does not tell.
 * @param model     of the first one.
 */
record Processors(BitSet allowed, BitSet online, BitSet isolated, List<String> governors, String model) {
    private static final String PERFORMANCE = "performance";
    /** Two that measure, one for the compiler and the collector, one for everything else. */
    private static final int ENOUGH = 4;
    private static final int MOST = 4096;

    static Processors of(final Path root) {
        final Path cpus = root.resolve("sys/devices/system/cpu");
        final BitSet allowed = parse(lineOf(root.resolve("proc/self/status"), "Cpus_allowed_list:"));
        final TreeSet<String> governors = new TreeSet<>();
        allowed.stream().forEach(cpu -> governors.add(
            firstLine(cpus.resolve("cpu" + cpu + "/cpufreq/scaling_governor"))));
        governors.remove("");
        final String model = lineOf(root.resolve("proc/cpuinfo"), "model name");
        return new Processors(allowed, parse(firstLine(cpus.resolve("online"))),
            parse(firstLine(cpus.resolve("isolated"))), List.copyOf(governors),
            model.isEmpty() ? System.getProperty("os.arch") : model.replaceFirst("^[\\s:]+", ""));
    }

    private static String firstLine(final Path file) {
        return lineOf(file, "");
    }

    /** Text behind a key; empty if there is no such file or line. */
    private static String lineOf(final Path file, final String key) {
        try {
            return Files.readAllLines(file).stream().filter(line -> line.startsWith(key)).findFirst()
                .map(line -> line.substring(key.length()).strip()).orElse("");
        } catch (final IOException e) {
            return "";
        }
    }

    /** A list as the kernel writes it, such as 0-3,8; what is no such list is empty. */
    static BitSet parse(final String text) {
        final BitSet set = new BitSet();
        for (final String range : text.split(",")) {
            if (range.matches("\\d{1,4}(-\\d{1,4})?")) {
                final int dash = range.indexOf('-');
                final int from = Integer.parseInt(dash < 0 ? range : range.substring(0, dash));
                final int to = Integer.parseInt(range.substring(dash + 1));
                set.set(Math.min(from, MOST), Math.min(Math.max(from, to), MOST) + 1);
            }
        }
        return set;
    }

    private static String text(final BitSet set) {
        return set.stream().mapToObj(Integer::toString).collect(Collectors.joining(","));
    }

    /** What was found, and what to do about it: a sentence or two, for people. */
    List<String> advice(final int spinning) {
        final List<String> lines = new ArrayList<>();
        lines.add(String.format("Processors: this process may run on %s of %s; isolated: %s; governor: %s.",
            allowed.isEmpty() ? "(unknown)" : text(allowed), online.isEmpty() ? "(unknown)" : text(online),
            isolated.isEmpty() ? "none" : text(isolated),
            governors.isEmpty() ? "not visible here" : String.join(", ", governors)));
        final int count = allowed.isEmpty() ? Runtime.getRuntime().availableProcessors() : allowed.cardinality();
        if (count < spinning) {
            lines.add(spinning + " threads spin on " + count + " processor: the times are the scheduler's. Measure "
                + "with --one-thread, or on more processors.");
        } else {
            pin(lines, count);
        }
        if (governors.stream().anyMatch(governor -> !governor.equals(PERFORMANCE))) {
            lines.add("The frequency may change meanwhile: cpupower frequency-set -g performance keeps it up.");
        }
        return lines;
    }

    private void pin(final List<String> lines, final int count) {
        final BitSet elsewhere = (BitSet) isolated.clone();
        elsewhere.andNot(allowed);
        final BitSet shared = (BitSet) allowed.clone();
        shared.andNot(isolated);
        if (!elsewhere.isEmpty()) {
            lines.add("There are isolated processors that are not used: taskset -c " + text(elsewhere)
                + " ./rdma4j perf ... runs on them.");
        } else if (!shared.isEmpty() && count < ENOUGH) {
            lines.add("Nothing is isolated, and " + count + " processors are too few to spare some: other programs "
                + "and the JVM's own threads get in between, which the longest times show.");
        } else if (!shared.isEmpty()) {
            lines.add("Others run there too. For steadier times boot with isolcpus=2,3 (as many as there are threads, "
                + "on one socket) and start with taskset -c 2,3.");
        }
    }
}
