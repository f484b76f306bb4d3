/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.benchmarks.flow;

import io.rdma4j.benchmarks.harness.Arguments;
import io.rdma4j.benchmarks.harness.ChildJvm;
import io.rdma4j.benchmarks.harness.Figures;
import io.rdma4j.benchmarks.harness.Machine;
import io.rdma4j.benchmarks.harness.Spread;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** Measures how fast messages of 64 KiB go one way, beside a plain copy of the same memory. */
public final class Bandwidth {
    private static final String USAGE = "usage: Bandwidth [--quick] [--doc FILE] [DEVICE_ADDRESS]";
    private static final String SECTION = "bandwidth";
    private static final int LENGTH = 64 << 10;
    /** The buffers of both sides fit into a processor's second cache, into the third one, or into none. */
    private static final int[] SLOTS = {4, 32, 512};
    private static final String[] NAMES = {"hot", "warm", "cold"};
    private static final List<FlowKind> KINDS = List.of(FlowKind.COPY, FlowKind.RING, FlowKind.TCP, FlowKind.SEND,
        FlowKind.SEND_ALONE, FlowKind.WRITE);
    /** What has goals, and what they are held against. */
    private static final List<FlowKind> QUICK =
        List.of(FlowKind.COPY, FlowKind.SEND, FlowKind.SEND_ALONE, FlowKind.WRITE);

    private final boolean quick;
    private final String address;

    private Bandwidth(final boolean quick, final String address) {
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
        final Bandwidth bandwidth = new Bandwidth(arguments.quick(), arguments.operandOr("emulated:"));
        final List<Map<String, Double>> forks = bandwidth.run();
        final List<String> table = bandwidth.table(forks);
        table.forEach(System.out::println);
        arguments.writeDocument(SECTION, table);
        Figures.writeForThisJdk(SECTION, figures(forks));
    }

    private int forks() {
        return quick ? 1 : 5;
    }

    private int turns() {
        return quick ? 9 : 25;
    }

    private int messages(final FlowKind kind) {
        return (quick ? 2048 : 8192) / (kind == FlowKind.TCP ? 4 : 1);
    }

    /** As many requests to a doorbell as leave half of the buffers to the other side. */
    private static int batch(final int slots) {
        return slots == SLOTS[0] ? 2 : 4;
    }

    private List<Map<String, Double>> run() throws Exception {
        final List<String> args =
            new ArrayList<>(List.of(address, Integer.toString(turns()), Integer.toString(LENGTH)));
        for (final int slots : SLOTS) {
            (quick ? QUICK : KINDS).forEach(
                kind -> args.add(kind + ":" + slots + ":" + batch(slots) + ":" + messages(kind)));
        }
        return ChildJvm.figures(FlowFork.class, forks(), args.toArray(String[]::new));
    }

    private List<String> table(final List<Map<String, Double>> forks) {
        final List<String> lines = new ArrayList<>();
        final StringBuilder title = new StringBuilder("| messages of 64 KiB | threads |");
        for (final int slots : SLOTS) {
            title.append(" GB/s, ").append(slots).append(" buffers | of `putBytes` |");
        }
        lines.add(title.toString());
        lines.add("|---|--:|" + "--:|--:|".repeat(SLOTS.length));
        for (final FlowKind kind : KINDS) {
            if (forks.get(0).containsKey(FlowFork.key(kind, SLOTS[0]))) {
                lines.add(row(forks, kind));
            }
        }
        lines.add("");
        lines.add(String.format(Locale.ROOT, "Median of %d forks (lowest...highest), in each the median of %d turns of"
            + " %,d messages (TCP a quarter). So many buffers in turn at each side: %d fit into the processor's second"
            + " cache, %d into the third one, %d into none. Through the device: 2 prepared work requests to a doorbell"
            + " and a completion with %d buffers, otherwise 4. Who takes a message looks at its last eight bytes; of"
            + " WRITEs only at the last message's. The share is that by the copy in the same fork.", forks(), turns(),
            messages(FlowKind.COPY), SLOTS[0], SLOTS[1], SLOTS[2], SLOTS[0]));
        lines.addAll(Machine.describe());
        return lines;
    }

    private String row(final List<Map<String, Double>> forks, final FlowKind kind) {
        final StringBuilder row = new StringBuilder("| ").append(kind.title())
            .append(kind.needsDevice() ? ", `" + address + "`" : "").append(" | ").append(kind.threads()).append(" |");
        for (final int slots : SLOTS) {
            row.append(String.format(Locale.ROOT, " %s | %.2f |", gigabytes(forks, kind, slots).text(1),
                share(forks, kind, slots)));
        }
        return row.toString();
    }

    private static Spread gigabytes(final List<Map<String, Double>> forks, final FlowKind kind, final int slots) {
        final Spread nanos = Spread.of(forks, FlowFork.key(kind, slots));
        return new Spread(LENGTH / nanos.median(), LENGTH / nanos.highest(), LENGTH / nanos.lowest());
    }

    private static double share(final List<Map<String, Double>> forks, final FlowKind kind, final int slots) {
        return Spread.ofRatios(forks, FlowFork.key(FlowKind.COPY, slots), FlowFork.key(kind, slots)).median();
    }

    private static Map<String, Double> figures(final List<Map<String, Double>> forks) {
        final Map<String, Double> figures = new TreeMap<>();
        for (final FlowKind kind : KINDS) {
            for (int i = 0; i < SLOTS.length && forks.get(0).containsKey(FlowFork.key(kind, SLOTS[i])); i++) {
                final String name = kind.name().toLowerCase(Locale.ROOT) + "." + NAMES[i];
                figures.put(name + ".gigabytes", gigabytes(forks, kind, SLOTS[i]).median());
                figures.put(name + ".share", share(forks, kind, SLOTS[i]));
            }
        }
        return figures;
    }
}
