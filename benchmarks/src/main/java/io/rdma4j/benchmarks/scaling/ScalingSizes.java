/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.benchmarks.scaling;

import io.rdma4j.benchmarks.harness.Patience;
import io.rdma4j.verbs.RdmaContext;
import io.rdma4j.verbs.RdmaDevices;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** What messages of all lengths cost, beside a copy of as many bytes that nothing is added to. */
final class ScalingSizes {
    private static final int[] LENGTHS =
        {1, 8, 64, 512, 4 << 10, 32 << 10, 256 << 10, 2 << 20, 16 << 20, 128 << 20, 1 << 30};
    private static final String[] KINDS = {"copy", "send", "write"};
    private static final long MOST_TIMES = 20_000;
    private static final long BYTES = 64L << 20;
    /** Of these a turn takes so long that few are enough. */
    private static final int LONG = 1 << 27;
    private static final int LONG_TURNS = 3;
    /** Two threads have a source and a target each; and the rest of the machine needs some too. */
    private static final int PIECES = 4;
    private static final long RESERVE = 2L << 30;
    private static final Path MEMORY_INFO = Path.of("/proc/meminfo");

    private final ScalingSamples samples;
    private final int turns;

    ScalingSizes(final ScalingSamples samples, final int turns) {
        this.samples = samples;
        this.turns = turns;
    }

    void run() throws IOException, InterruptedException {
        final int longest = longest();
        final Patience patience = new Patience();
        try (RdmaContext context = RdmaDevices.open("emulated:sizes")) {
            final ScalingLane one = new ScalingLane(context, longest, patience);
            final ScalingLane other = new ScalingLane(context, longest, patience);
            for (final int length : LENGTHS) {
                final int warmUp = length == LENGTHS[0] ? ScalingWork.FIRST_WARM_UP : 1;
                final int last = length > longest ? -warmUp : length >= LONG ? Math.min(LONG_TURNS, turns) : turns;
                for (int turn = -warmUp; turn < last; turn++) {
                    for (final String kind : KINDS) {
                        sample(kind, length, new ScalingLane[] {one, other}, patience,
                            turn < 0 ? new ScalingSamples() : samples);
                    }
                }
            }
        }
    }

    /** The longest message that there is memory for. */
    private static int longest() throws IOException {
        final long available = Files.readAllLines(MEMORY_INFO).stream().filter(line -> line.startsWith("MemAvailable"))
            .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) << 10).findFirst().orElse(0);
        int longest = LENGTHS[0];
        for (final int length : LENGTHS) {
            longest = (long) PIECES * length + RESERVE <= available ? length : longest;
        }
        return longest;
    }

    private static void sample(final String kind, final int length, final ScalingLane[] lanes,
        final Patience patience, final ScalingSamples to) throws IOException, InterruptedException {
        final long times = Math.max(1, Math.min(MOST_TIMES, BYTES / length));
        final String place = key(length, kind);
        final long began = System.nanoTime();
        work(kind, length, lanes[0]).run(times);
        to.add(place + "one", (double) (System.nanoTime() - began) / times);
        to.add(place + "two", (double) ScalingWork.both(work(kind, length, lanes[0]), work(kind, length, lanes[1]),
            1, times, patience) / (2 * times));
    }

    private static ScalingWork work(final String kind, final int length, final ScalingLane lane) {
        return switch (kind) {
            case "copy" -> n -> lane.copy(n, length);
            case "send" -> n -> lane.send(n, length);
            default -> n -> lane.write(n, length);
        };
    }

    static String key(final int length, final String kind) {
        return "sizes." + length + "." + kind + ".";
    }

    static List<String> table(final ScalingSamples samples) {
        final List<String> lines = new ArrayList<>();
        lines.add("| message | threads | putBytes ns | SEND ns | WRITE ns | putBytes GB/s | SEND GB/s | WRITE GB/s |");
        lines.add("|--:|--:|--:|--:|--:|--:|--:|--:|");
        for (final String threads : new String[] {"one", "two"}) {
            for (final int length : LENGTHS) {
                final StringBuilder row = new StringBuilder("| " + size(length) + " | "
                    + (threads.equals("one") ? 1 : 2));
                for (final String kind : KINDS) {
                    row.append(" | ").append(samples.cell(key(length, kind) + threads));
                }
                for (final String kind : KINDS) {
                    row.append(" | ").append(bandwidth(samples, length, key(length, kind) + threads));
                }
                lines.add(row.append(" |").toString());
            }
        }
        if (!samples.has(key(1 << 30, "send") + "one")) {
            lines.add("");
            lines.add("Not measured (-): what needs more memory than the machine had available, which is " + PIECES
                + " times the message and " + (RESERVE >> 30) + " GiB.");
        }
        return lines;
    }

    private static String size(final int length) {
        final int unit = (31 - Integer.numberOfLeadingZeros(length)) / 10;
        return (length >> 10 * unit) + " " + new String[] {"B", "KiB", "MiB", "GiB"}[unit];
    }

    private static String bandwidth(final ScalingSamples samples, final int length, final String key) {
        return samples.has(key) ? String.format(Locale.ROOT, "%.2f", length / samples.median(key)) : "-";
    }
}
