/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.benchmarks.roundtrip;

import io.rdma4j.benchmarks.harness.Arguments;
import io.rdma4j.benchmarks.harness.ChildJvm;
import io.rdma4j.benchmarks.harness.Figures;
import io.rdma4j.benchmarks.harness.Machine;
import io.rdma4j.benchmarks.harness.Spread;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Measures round trips of 64 bytes between two threads: through what other JVM programs use, and through a device; and
 * READs and compare-and-swaps, which one thread does alone. Beside each stands the cache line that was bounced in the
 * same JVM.
 */
public final class RoundTrip {
    /** Its name in documents and figures. */
    public static final String SECTION = "roundtrip";
    private static final String USAGE = "usage: RoundTrip [--quick] [--doc FILE] [DEVICE_ADDRESS]";
    private static final String P50 = ".p50";
    private static final String FLOOR = RoundTripKind.FLOOR.key() + P50;
    private static final String RINGS = RoundTripKind.RINGS.key() + P50;
    private static final String SEND = RoundTripKind.SEND.key() + P50;
    private static final String LINES = RoundTripKind.LINES.key() + P50;

    /** What has goals, and what they are held against. */
    private static final EnumSet<RoundTripKind> QUICK = EnumSet.of(RoundTripKind.FLOOR, RoundTripKind.RINGS,
        RoundTripKind.LINES, RoundTripKind.SEND, RoundTripKind.FABRIC_SEND, RoundTripKind.RDM, RoundTripKind.WRITE,
        RoundTripKind.FABRIC_WRITE);

    private final boolean quick;
    private final String address;

    private RoundTrip(final boolean quick, final String address) {
        this.quick = quick;
        this.address = address;
    }

    /**
     * Prints the table, and writes it into a document if one is named.
     *
     * @param args see the usage message
     * @throws Exception if the device fails or an answer does not come in time
     */
    public static void main(final String[] args) throws Exception {
        final Arguments arguments = Arguments.parse(args, USAGE);
        final RoundTrip roundTrip = new RoundTrip(arguments.quick(), arguments.operandOr("emulated:"));
        final List<Map<String, Double>> forks = roundTrip.run();
        final List<String> table = roundTrip.table(forks);
        table.forEach(System.out::println);
        arguments.writeDocument(SECTION, table);
        Figures.writeForThisJdk(SECTION, figures(forks));
    }

    private int turns() {
        return quick ? 3 : 10;
    }

    private int iterations() {
        return quick ? 12_800 : 96_000;
    }

    private int forks() {
        return quick ? 1 : 5;
    }

    private List<Map<String, Double>> run() throws Exception {
        return ChildJvm.figures(RoundTripFork.class, forks(), Stream.concat(
            Stream.of(address, Integer.toString(turns()), Integer.toString(iterations())),
            (quick ? QUICK : EnumSet.allOf(RoundTripKind.class)).stream().map(Enum::name)).toArray(String[]::new));
    }

    private List<String> table(final List<Map<String, Double>> forks) {
        final List<String> lines = new ArrayList<>();
        lines.add("| round trip of 64 bytes | threads | p50 ns | p99 ns | p99.9 ns | p50 / F |");
        lines.add("|---|--:|--:|--:|--:|--:|");
        for (final RoundTripKind kind : RoundTripKind.values()) {
            if (forks.stream().anyMatch(fork -> fork.containsKey(kind.key() + P50))) {
                lines.add(row(kind, forks));
            }
        }
        lines.add("");
        lines.add(String.format(Locale.ROOT, "Median of %d forks (lowest...highest of the forks); in each, in %d turns,"
            + " %,d round trips of each kind, of system calls a 16th, and as many in batches of %d. p50 is that of the"
            + " batches, per round trip; p99 and p99.9 are of single ones, and include one `System.nanoTime`, which"
            + " takes %.0f ns. p50 / F is by the F of the same fork.", forks(), turns(), (long) turns() * iterations(),
            RoundTripFork.BATCH, Spread.of(forks, "clock").median()));
        lines.add("The lines of a SEND alone are what the device's format has two processors write and read for it, "
            + "with receives posted in such batches as those of RC SEND, and nothing else: no keys, states or checks, "
            + "no completions of sends.");
        lines.add("RC SEND is prepared once, one in 16 makes a completion, and receives are posted again after the "
            + "answer, eight with one doorbell; in the simple way each SEND makes a completion, and each receive is "
            + "posted again before the answer. Of fabric and RDM sends each makes a completion, in a queue apart from "
            + "those of receives, which are posted again after the answer, eight at a time. Of RDMA WRITEs one in 16 "
            + "makes a completion.");
        lines.addAll(Machine.describe());
        return lines;
    }

    private String row(final RoundTripKind kind, final List<Map<String, Double>> forks) {
        final String key = kind.key();
        return String.format(Locale.ROOT, "| %s%s | %d | %s | %,.0f | %,.0f | %s |", kind.title(),
            kind.needsDevice() ? ", `" + address + "`" : "", kind.threads(), Spread.of(forks, key + P50).text(0),
            Spread.of(forks, key + ".p99").median(), Spread.of(forks, key + ".p999").median(),
            Spread.ofRatios(forks, key + P50, FLOOR).text(1));
    }

    /** Medians, and for each kind its p50 by those of the yardsticks. */
    private static Map<String, Double> figures(final List<Map<String, Double>> forks) {
        final Map<String, Double> figures = new TreeMap<>();
        for (final Map<String, Double> fork : forks) {
            for (final String key : fork.keySet()) {
                figures.computeIfAbsent(key, name -> Spread.of(forks, name).median());
                if (key.endsWith(P50)) {
                    figures.computeIfAbsent(key + ".by_floor", name -> Spread.ofRatios(forks, key, FLOOR).median());
                    figures.computeIfAbsent(key + ".by_rings", name -> Spread.ofRatios(forks, key, RINGS).median());
                    figures.computeIfAbsent(key + ".by_send", name -> Spread.ofRatios(forks, key, SEND).median());
                    figures.computeIfAbsent(key + ".by_lines", name -> Spread.ofRatios(forks, key, LINES).median());
                }
            }
        }
        return figures;
    }
}
