/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.benchmarks.scaling;

import io.rdma4j.benchmarks.harness.Patience;
import io.rdma4j.verbs.RdmaContext;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** What a message costs when it comes from one of many queue pairs that share a completion queue. */
final class ScalingConnections {
    private static final int[] COUNTS = {1, 2, 4, 16, 64, 256, 1_024};
    /** What has goals. */
    private static final int[] QUICK_COUNTS = {1, 1_024};
    private static final int MESSAGES = 20_000;
    private static final String ADDRESS = "emulated:connections-%d?max_qp=8192";
    private static final String[] ORDERS = {"in turn", "random"};

    private final ScalingSamples samples;
    private final int turns;
    private final boolean quick;

    ScalingConnections(final ScalingSamples samples, final int turns, final boolean quick) {
        this.samples = samples;
        this.turns = turns;
        this.quick = quick;
    }

    void run() throws IOException, InterruptedException {
        try (ScalingTurns rows = new ScalingTurns()) {
            for (final int count : quick ? QUICK_COUNTS : COUNTS) {
                rows.add(row(rows.open(String.format(Locale.ROOT, ADDRESS, count)), count));
            }
            rows.play(turns, samples);
        }
    }

    private ScalingTurns.Row row(final RdmaContext context, final int count) {
        final Patience patience = new Patience();
        final ScalingGroup group = new ScalingGroup(context, count, patience);
        final ScalingGroup[] halves = quick || count == 1 ? null : new ScalingGroup[] {
            new ScalingGroup(context, count / 2, patience), new ScalingGroup(context, count / 2, patience)};
        final ScalingLines lines = new ScalingLines(count);
        return to -> {
            for (final boolean randomly : new boolean[] {false, true}) {
                final String place = key(count, randomly);
                alone(group, randomly, place, to);
                bare(lines, group.around(), randomly, place, to);
                if (!quick) {
                    together(group, randomly, place, to, patience);
                }
                if (halves != null) {
                    apart(halves, randomly, place, to, patience);
                }
            }
        };
    }

    private static String key(final int count, final boolean randomly) {
        return "qps." + count + (randomly ? ".random." : ".turn.");
    }

    private static void alone(
        final ScalingGroup group, final boolean randomly, final String place, final ScalingSamples to) {
        group.send(group.around(), randomly);
        final long sending = System.nanoTime();
        group.send(MESSAGES, randomly);
        to.add(place + "send", (double) (System.nanoTime() - sending) / MESSAGES);
        group.write(group.around(), randomly);
        final long writing = System.nanoTime();
        group.write(MESSAGES, randomly);
        to.add(place + "write", (double) (System.nanoTime() - writing) / MESSAGES);
    }

    private static void bare(final ScalingLines lines, final long around, final boolean randomly, final String place,
        final ScalingSamples to) {
        lines.send(around, randomly);
        final long began = System.nanoTime();
        lines.send(MESSAGES, randomly);
        to.add(place + "lines", (double) (System.nanoTime() - began) / MESSAGES);
    }

    private static void together(final ScalingGroup group, final boolean randomly, final String place,
        final ScalingSamples to, final Patience patience) throws IOException, InterruptedException {
        to.add(place + "send.split", (double) ScalingWork.both(n -> group.postSends(n, randomly),
            n -> group.poll(2 * n), group.around(), MESSAGES, patience) / MESSAGES);
        to.add(place + "write.split", (double) ScalingWork.both(n -> group.postWrites(n, randomly),
            group::poll, group.around(), MESSAGES, patience) / MESSAGES);
    }

    private static void apart(final ScalingGroup[] halves, final boolean randomly, final String place,
        final ScalingSamples to, final Patience patience) throws IOException, InterruptedException {
        to.add(place + "send.two", (double) ScalingWork.both(n -> halves[0].send(n, randomly),
            n -> halves[1].send(n, randomly), halves[0].around(), MESSAGES, patience) / (2 * MESSAGES));
        to.add(place + "write.two", (double) ScalingWork.both(n -> halves[0].write(n, randomly),
            n -> halves[1].write(n, randomly), halves[0].around(), MESSAGES, patience) / (2 * MESSAGES));
    }

    static List<String> table(final ScalingSamples samples) {
        final List<String> lines = new ArrayList<>();
        lines.add("| QPs | order | the lines of a SEND alone, ns | SEND, 1 thread | SEND, 2 threads, a CQ each "
            + "| SEND, one posts, one polls | WRITE, 1 thread | WRITE, 2 threads, a CQ each "
            + "| WRITE, one posts, one polls |");
        lines.add("|--:|---|--:|--:|--:|--:|--:|--:|--:|");
        for (final int count : COUNTS) {
            for (int order = 0; order < ORDERS.length; order++) {
                final String place = key(count, order == 1);
                if (samples.has(place + "send")) {
                    lines.add(String.format(Locale.ROOT, "| %,d | %s | %s | %s | %s | %s | %s | %s | %s |", count,
                        ORDERS[order], samples.cell(place + "lines"), samples.cell(place + "send"),
                        samples.cell(place + "send.two"), samples.cell(place + "send.split"),
                        samples.cell(place + "write"), samples.cell(place + "write.two"),
                        samples.cell(place + "write.split")));
                }
            }
        }
        return lines;
    }
}
