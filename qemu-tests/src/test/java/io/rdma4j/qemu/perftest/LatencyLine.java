/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.perftest;

import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The line of figures of a latency test, which {@code rdma4j perf} prints as perftest does: bytes, iterations, t_min,
 * t_max, t_typical, t_avg.
 *
 * @param bytes      of a message.
 * @param iterations how many times.
 * @param typical    the median, in the unit of the program.
 * @param average    the mean, in that unit.
 * @param clock      what one reading of the clock takes, in microseconds, if the program says so: each time has one.
 */
record LatencyLine(int bytes, int iterations, double typical, double average, double clock) {
    private static final String NUMBER = "\\s+(\\d+\\.\\d+)";
    private static final Pattern LINE =
        Pattern.compile("\\s*(\\d+)\\s+(\\d+)" + NUMBER + NUMBER + NUMBER + NUMBER + "(\\s.*)?");

    private static final Pattern CLOCK = Pattern.compile("A time is (half|a whole) .* clock takes (\\d+) ns here.*");

    /** The one among what a program printed. */
    static Optional<LatencyLine> in(final List<String> output) {
        return output.stream().map(LINE::matcher).filter(Matcher::matches)
            .map(found -> new LatencyLine(Integer.parseInt(found.group(1)), Integer.parseInt(found.group(2)),
                Double.parseDouble(found.group(5)), Double.parseDouble(found.group(6)), clockIn(output))).findFirst();
    }

    private static double clockIn(final List<String> output) {
        return output.stream().map(CLOCK::matcher).filter(Matcher::matches)
            .mapToDouble(found -> Integer.parseInt(found.group(2)) / (found.group(1).equals("half") ? 2000.0 : 1000))
            .findFirst().orElse(0);
    }
}
