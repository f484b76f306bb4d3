/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.benchmarks.flow;

import io.rdma4j.benchmarks.harness.Arguments;
import io.rdma4j.benchmarks.harness.ChildJvm;
import io.rdma4j.benchmarks.harness.Figures;
import io.rdma4j.benchmarks.harness.Machine;
import io.rdma4j.benchmarks.harness.Sizes;
import io.rdma4j.benchmarks.harness.Spread;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/** Measures how many messages of 64 bytes a second go one way: posted in batches, with few completions. */
public final class Rates {
    /** Its name in documents and figures. */
    public static final String SECTION = "rates";
    private static final String USAGE = "usage: Rates [--quick] [--doc FILE] [DEVICE_ADDRESS]";
    private static final int SLOTS = 512;
    private static final int BATCH = 16;
    private static final double NANOS_OF_A_MILLION_A_SECOND = 1000;
    private static final List<FlowKind> KINDS = List.of(FlowKind.RING, FlowKind.AERON, FlowKind.SEND,
        FlowKind.SEND_ALONE, FlowKind.WRITE_WATCHED, FlowKind.WRITE, FlowKind.WRITE_BOTH);
    /** What has goals, and what they are held against. */
    private static final List<FlowKind> QUICK =
        List.of(FlowKind.RING, FlowKind.SEND, FlowKind.WRITE_WATCHED, FlowKind.WRITE);

    private final boolean quick;
    private final String address;

    private Rates(final boolean quick, final String address) {
        this.quick = quick;
        this.address = address;
    }

    /**
     * Prints the table, and writes it into a document if one is named.
     *
     * @param args see the usage message
     * @throws Exception if the device fails or messages do not come in time
     */
    public static void main(final String[] args) throws Exception {
        final Arguments arguments = Arguments.parse(args, USAGE);
        final Rates rates = new Rates(arguments.quick(), arguments.operandOr("emulated:"));
        final List<Map<String, Double>> forks = rates.run();
        final List<String> table = rates.table(forks);
        table.forEach(System.out::println);
        arguments.writeDocument(SECTION, table);
        Figures.writeForThisJdk(SECTION, figures(forks));
    }

    /**
     * What a figure of this section or the one on bandwidth is about.
     *
     * @param kind the first part of its name
     * @return in words
     */
    public static String title(final String kind) {
        return kind(kind).title();
    }

    private static FlowKind kind(final String name) {
        return FlowKind.valueOf(name.toUpperCase(Locale.ROOT));
    }

    /**
     * How many threads it takes.
     *
     * @param kind the first part of the figure's name
     * @return 1 or 2
     */
    public static int threads(final String kind) {
        return kind(kind).threads();
    }

    private int forks() {
        return quick ? 1 : 5;
    }

    private int turns() {
        return quick ? 5 : 9;
    }

    private int messages() {
        return quick ? 400_000 : 2_000_000;
    }

    private List<Map<String, Double>> run() throws Exception {
        return ChildJvm.figures(FlowFork.class, forks(), Stream.concat(
            Stream.of(address, Integer.toString(turns()), Integer.toString(Sizes.MESSAGE)),
            (quick ? QUICK : KINDS).stream().map(kind -> kind + ":" + SLOTS + ":" + BATCH + ":" + messages()))
            .toArray(String[]::new));
    }

    private static Spread millions(final List<Map<String, Double>> forks, final FlowKind kind) {
        final Spread nanos = Spread.of(forks, FlowFork.key(kind, SLOTS));
        return new Spread(NANOS_OF_A_MILLION_A_SECOND / nanos.median(), NANOS_OF_A_MILLION_A_SECOND / nanos.highest(),
            NANOS_OF_A_MILLION_A_SECOND / nanos.lowest());
    }

    private static boolean isMeasured(final List<Map<String, Double>> forks, final FlowKind kind) {
        return forks.get(0).containsKey(FlowFork.key(kind, SLOTS));
    }

    private List<String> table(final List<Map<String, Double>> forks) {
        final List<String> lines = new ArrayList<>();
        lines.add("| messages of 64 bytes | threads | million/s | ns each |");
        lines.add("|---|--:|--:|--:|");
        for (final FlowKind kind : KINDS) {
            if (isMeasured(forks, kind)) {
                lines.add(String.format(Locale.ROOT, "| %s%s | %d | %s | %.0f |", kind.title(),
                    kind.needsDevice() ? ", `" + address + "`" : "", kind.threads(), millions(forks, kind).text(1),
                    NANOS_OF_A_MILLION_A_SECOND / millions(forks, kind).median()));
            }
        }
        lines.add("");
        lines.add(String.format(Locale.ROOT, "Median of %d forks (lowest...highest), in each the median of %d turns of"
            + " %,d messages. Through the device: batches of %d work requests that were prepared once, with one"
            + " doorbell and one completion each; receives are posted again in such batches too. %d buffers in turn;"
            + " each message has its number written into it, and who takes it looks at that.", forks(), turns(),
            messages(), BATCH, SLOTS));
        lines.addAll(Machine.describe());
        return lines;
    }

    private static Map<String, Double> figures(final List<Map<String, Double>> forks) {
        final Map<String, Double> figures = new TreeMap<>();
        for (final FlowKind kind : KINDS) {
            if (isMeasured(forks, kind)) {
                figures.put(kind.name().toLowerCase(Locale.ROOT) + ".millions", millions(forks, kind).median());
            }
        }
        return figures;
    }
}
