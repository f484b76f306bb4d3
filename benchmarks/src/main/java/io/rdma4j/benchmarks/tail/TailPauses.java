/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.benchmarks.tail;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * When all threads of a JVM stood still, by its log of safepoints. The log counts time as {@link System#nanoTime} does
 * in that JVM.
 */
final class TailPauses {
    /** What makes the JVM write the log. */
    static final String FLAG = "-Xlog:gc,safepoint:file=%s:timenanos:filecount=0";

    private static final Pattern LINE =
        Pattern.compile("\\[(\\d+)ns\\] (?:\\[.*\\] )?Safepoint \"(\\w+)\".* Total:\\s+(\\d+) ns");
    private static final double MILLISECOND = TimeUnit.MILLISECONDS.toNanos(1);
    /** Between the end of a pause and when it is written down. */
    private static final long LATE = 1_000_000;

    private final List<long[]> pauses = new ArrayList<>();
    private String longestCause = "none";
    private long longest;
    private long sum;

    /** Those that ended in a stretch of time. */
    TailPauses(final Path log, final long from, final long to) throws IOException {
        for (final String line : Files.readAllLines(log)) {
            final Matcher matcher = LINE.matcher(line);
            if (matcher.find()) {
                add(Long.parseLong(matcher.group(1)), matcher.group(2), Long.parseLong(matcher.group(3)), from, to);
            }
        }
    }

    private void add(final long end, final String cause, final long nanos, final long from, final long to) {
        if (end < from || end > to) {
            return;
        }
        pauses.add(new long[] {end - nanos, end});
        sum += nanos;
        if (nanos > longest) {
            longest = nanos;
            longestCause = cause;
        }
    }

    /** Whether a stretch of time and a pause have something in common. */
    boolean touch(final long from, final long to) {
        return pauses.stream().anyMatch(pause -> pause[0] - LATE < to && from < pause[1]);
    }

    String describe(final double seconds) {
        return String.format(Locale.ROOT, "%d safepoints, the longest %.2f ms (%s), all together %.1f ms (%.2f %% of "
            + "the time)",
            pauses.size(), longest / MILLISECOND, longestCause, sum / MILLISECOND, sum / seconds / 1e7);
    }
}
