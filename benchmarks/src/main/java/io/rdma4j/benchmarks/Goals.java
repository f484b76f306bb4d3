/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.benchmarks;

import io.rdma4j.benchmarks.calls.VerbsCallReport;
import io.rdma4j.benchmarks.control.AddressVectorReport;
import io.rdma4j.benchmarks.flow.Rates;
import io.rdma4j.benchmarks.harness.Arguments;
import io.rdma4j.benchmarks.harness.Figures;
import io.rdma4j.benchmarks.harness.Machine;
import io.rdma4j.benchmarks.roundtrip.RoundTrip;
import io.rdma4j.benchmarks.roundtrip.TagMatching;
import io.rdma4j.benchmarks.scaling.Scaling;
import io.rdma4j.benchmarks.tail.Tail;
import io.rdma4j.benchmarks.wire.Wire;
import java.io.IOException;
import java.nio.file.attribute.FileTime;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** Holds what the sections found against what was aimed at, in one table. */
public final class Goals {
    private static final String USAGE = "usage: Goals [--quick] [--doc FILE]";
    private static final String SECTION = "goals";
    private static final double RING_BOUND = 1.15;
    private static final double BATCH_BOUND = 0.9;
    private static final double SHARE = 0.9;
    private static final double WIRE_MILLIONS = 5;
    /** The bound of what tells how far a goal can be met at all. */
    private static final double NO_GOAL = Double.NaN;
    private static final String BYTES = ".bytes";
    /** What the profiler itself allocates, divided by the operations of an iteration, stays below. */
    private static final double NO_BYTES = 0.5;
    private static final String BATCH = "postSend16";
    private static final String[][] RINGS = {
        {"postSend", "post_send"},
        {BATCH, "post_send, 16 with one doorbell"},
        {"postReceive", "post_recv"},
        {"poll1", "poll of 1"},
        {"poll16", "poll of 16"},
        {"postDevicePoll", "post, fake device, poll"},
    };

    /** Nanoseconds above C of a call of libibverbs. */
    private static final Map<String, Double> CALL_BOUNDS = Map.of("critical", 12.0, "ffm", 12.0, "jna", 80.0);

    private static final List<Goal> MESSAGES = List.of(
        trip("2: RC SEND there and back, 64 B", "send", "Agrona rings", "rings", 1.3),
        trip("2: the lines of a SEND alone, there and back", "lines", "Agrona rings", "rings", NO_GOAL),
        trip("2: RC SEND there and back, 64 B", "send", "its lines alone", "lines", NO_GOAL),
        trip("2: RDMA WRITE there and back, 64 B", "write", "F", "floor", 1.8),
        trip("2: fabric write there and back, 64 B", "fabric_write", "F", "floor", 2),
        trip("2: fabric send there and back, 64 B", "fabric_send", "RC SEND", "send", 1.2),
        trip("2: RDM send there and back, 64 B", "rdm", "RC SEND", "send", 1.3),
        rate("send"), rate("write_watched"), rate("write"));

    private static final List<Goal> MANY = List.of(
        many("SEND, 1,024 queue pairs, any", "qps.1024.random.send", "1", "qps.1.random.send"),
        new Goal(Scaling.SECTION, "4: the lines of a SEND alone, 1,024 queue pairs, any", Unit.NANOS,
            "qps.1024.random.lines", "1", "qps.1.random.lines", NO_GOAL, true),
        many("WRITE, 1,024 queue pairs, any", "qps.1024.random.write", "1", "qps.1.random.write"),
        many("WRITE, 10,000 regions, any", "regions.10000.packed.random.one", "1", "regions.1.packed.random.one"),
        new Goal(AddressVectorReport.SECTION, "4: look up any of 1,000,000 addresses", Unit.SHORT_NANOS,
            "TABLE.1000000.findAny", "one of 64 of 1,000", "TABLE.1000.findOneOfFew", 1.3, true),
        new Goal(AddressVectorReport.SECTION, "4: look up any of 1,000,000 addresses", Unit.SHORT_NANOS,
            "TABLE.1000000.findAny", "a read anywhere in as much memory", "TABLE.1000000.readAny", NO_GOAL, true));

    private static final List<Goal> TAILS = List.of(
        tail("G1", "SEND", "G1", "send"), tail("G1", "WRITE", "G1", "write"),
        tail("ZGC", "SEND", "Z", "send"), tail("ZGC", "WRITE", "Z", "write"));

    private static final List<Goal> WIRES = List.of(
        wireTrip("shm, RC SEND", "shm.send_trip", "in one process", "local.send_trip", 1.3),
        wireTrip("shm, RDMA WRITE", "shm.write_trip", "in one process", "local.write_trip", 1.3),
        wireTrip("shm, RC SEND", "shm.send_trip", "libfabric shm", "fi.shm", 1),
        wireTrip("shm, RDMA WRITE", "shm.write_trip", "libfabric shm", "fi.shm", 0.5),
        wireTrip("udp, RC SEND", "udp.send_trip", "NIO UDP", "nio", 1.3),
        wireTrip("udp, RC SEND", "udp.send_trip", "libfabric udp;ofi_rxd", "fi.udp", 1),
        wireTrip("udp, RC SEND", "udp.send_trip", "libfabric tcp;ofi_rxm", "fi.tcp", 1),
        wireRate("send"), wireRate("write"),
        wireStream("64 KiB, send", "shm.send_64k", "memcpy", "copy.65536", 0.6),
        wireStream("64 KiB, send", "shm.send_64k", "libfabric shm", "fi.shm.64k", 2),
        wireStream("1 MiB, send", "shm.send_1m", "memcpy", "copy.1048576", 0.6),
        wireStream("64 KiB, write", "shm.write_64k", "memcpy", "copy.65536", 0.6),
        wireStream("64 KiB, write", "shm.write_64k", "libfabric shm", "fi.shm.64k", 2),
        wireStream("1 MiB, write", "shm.write_1m", "memcpy", "copy.1048576", 0.6));

    private static final List<Goal> TAGS = List.of(
        tags("there and back", "tagged", "without tags", "plain", 1.15),
        tags("there before its receive", "unexpected", "without tags", "plain", 2),
        tags("beside 10,000 receives", "beside_10_000", "beside 10", "beside_10", 2));

    private final List<String> lines = new ArrayList<>();
    private final List<String> missing = new ArrayList<>();
    private int goals;
    private int met;

    private Goals() {
        lines.add("| goal | measured | yardstick | ratio | bound | met |");
        lines.add("|---|--:|--:|--:|--:|---|");
    }

    private enum Unit {
        NANOS("%,.0f ns"), SHORT_NANOS("%.1f ns"), MICROS("%.2f µs"), MILLIONS("%.1f M/s"), GIGABYTES("%.1f GB/s");

        private final String format;

        Unit(final String format) {
            this.format = format;
        }

        String text(final double value) {
            return String.format(Locale.ROOT, format, value);
        }
    }

    /** A figure of a section, another one of it as yardstick, and what their ratio may be. */
    private record Goal(String section, String what, Unit unit, String key, String title, String yardstick,
                        double bound, boolean atMost) {
        boolean isMeasured(final Map<String, Double> figures) {
            return figures.containsKey(key) && figures.containsKey(yardstick);
        }

        /** By each fork for itself, where the section has that: they were measured side by side. */
        double ratio(final Map<String, Double> figures) {
            return figures.getOrDefault(key + ".by_" + yardstick.split("\\.")[0],
                figures.get(key) / figures.get(yardstick));
        }
    }

    private static Goal trip(
        final String what, final String kind, final String title, final String yardstick, final double bound) {
        return new Goal(RoundTrip.SECTION, what, Unit.NANOS, kind + ".p50", title, yardstick + ".p50", bound, true);
    }

    private static Goal rate(final String kind) {
        return new Goal(Rates.SECTION, "2: messages of 64 B, " + Rates.title(kind)
            + (Rates.threads(kind) == 1 ? ", one thread" : ", two threads"), Unit.MILLIONS, kind + ".millions",
            "Agrona ring", "ring.millions", 0.8, false);
    }

    private static Goal many(final String what, final String key, final String title, final String yardstick) {
        return new Goal(Scaling.SECTION, "4: " + what, Unit.NANOS, key, title, yardstick, 1.3, true);
    }

    private static Goal tail(final String collector, final String what, final String run, final String exchange) {
        return new Goal(Tail.SECTION, "5: " + what + " there and back, 99.9 %, busy heap, " + collector, Unit.NANOS,
            run + ".busy." + exchange + ".p99.9", "quiet heap", run + ".quiet." + exchange + ".p99.9", 2, true);
    }

    private static Goal wireTrip(
        final String what, final String key, final String title, final String yardstick, final double bound) {
        return new Goal(Wire.SECTION, "7: " + what + " there and back, 64 B", Unit.MICROS, key, title, yardstick,
            bound, true);
    }

    private static Goal wireRate(final String kind) {
        return new Goal(Wire.SECTION, "7: shm, messages of 64 B, " + kind, Unit.MILLIONS, "shm." + kind + "_rate",
            "in one process", "local." + kind + "_rate", 0.77, false);
    }

    private static Goal wireStream(
        final String what, final String key, final String title, final String yardstick, final double bound) {
        return new Goal(Wire.SECTION, "7: shm, " + what, Unit.GIGABYTES, key, title, yardstick, bound, false);
    }

    private static Goal tags(
        final String what, final String key, final String title, final String yardstick, final double bound) {
        return new Goal(TagMatching.SECTION, "8: tagged message of 64 B, " + what, Unit.NANOS, key, title, yardstick,
            bound, true);
    }

    /**
     * Prints the table, and writes it into a document if one is named.
     *
     * @param args see the usage message
     * @throws Exception if figures or the document cannot be read
     */
    public static void main(final String[] args) throws Exception {
        final Arguments arguments = Arguments.parse(args, USAGE);
        final List<String> table = new Goals().table();
        table.forEach(System.out::println);
        arguments.writeDocument(SECTION, table);
    }

    private List<String> table() throws IOException {
        rings();
        all(MESSAGES);
        bandwidth();
        allocation();
        all(MANY);
        all(TAILS);
        verbsCalls();
        all(WIRES);
        wireAlone();
        all(TAGS);
        lines.add("| 3: no megamorphic call on the path | | | | | see the inlining decisions below |");
        lines.add("");
        lines.add(met + " of " + goals + " are met" + (missing.isEmpty() ? "" : "; not measured: "
            + String.join(", ", missing)) + ". Measured, UTC: " + times() + ".");
        lines.addAll(Machine.describe());
        return lines;
    }

    private static String times() throws IOException {
        final List<String> times = new ArrayList<>();
        for (final String section : List.of("rings", RoundTrip.SECTION, Rates.SECTION, "bandwidth", Scaling.SECTION,
            AddressVectorReport.SECTION, Tail.SECTION, VerbsCallReport.SECTION, Wire.SECTION, TagMatching.SECTION)) {
            final FileTime time = Figures.writtenAt(section);
            times.add(section + (time == null ? " never" : " " + time.toInstant().truncatedTo(ChronoUnit.SECONDS)));
        }
        return String.join(", ", times);
    }

    /** A row for each JDK that has measured it. */
    private void all(final List<Goal> table) throws IOException {
        for (final Goal goal : table) {
            final SortedMap<Integer, Map<String, Double>> byJdk = Figures.byJdk(goal.section);
            byJdk.values().removeIf(figures -> !goal.isMeasured(figures));
            byJdk.forEach((jdk, figures) -> row(goal, jdk, figures));
            if (byJdk.isEmpty() && !missing.contains(goal.section)) {
                missing.add(goal.section);
            }
        }
    }

    private void row(final Goal goal, final int jdk, final Map<String, Double> figures) {
        final double ratio = goal.ratio(figures);
        add(goal.what + jdk(jdk), goal.unit.text(figures.get(goal.key)),
            goal.title + " " + goal.unit.text(figures.get(goal.yardstick)), ratio, goal.bound, goal.atMost);
    }

    private static String jdk(final int feature) {
        return ", JDK " + feature;
    }

    private void rings() throws IOException {
        final Map<String, Double> figures = Figures.read("rings");
        final TreeSet<Integer> jdks = figures.keySet().stream().map(key -> Integer.valueOf(key.split("\\.")[1]))
            .collect(Collectors.toCollection(TreeSet::new));
        if (jdks.isEmpty()) {
            missing.add("rings");
        }
        for (final String[] ring : RINGS) {
            for (final int jdk : jdks) {
                final String what = "1: " + ring[1] + jdk(jdk);
                final String prefix = ring[0] + "." + jdk + ".";
                if (ring[0].equals(BATCH)) {
                    ring(what, figures, prefix, "C as provider ", "provider", BATCH_BOUND);
                }
                ring(what, figures, prefix, "lock-free C ", "free", RING_BOUND);
            }
        }
    }

    private void ring(final String what, final Map<String, Double> figures, final String prefix, final String title,
        final String yardstick, final double bound) {
        final double java = figures.get(prefix + "java");
        final double c = figures.get(prefix + yardstick);
        add(what, Unit.SHORT_NANOS.text(java), title + Unit.SHORT_NANOS.text(c), java / c, bound, true);
    }

    private void bandwidth() throws IOException {
        for (final Map.Entry<Integer, Map<String, Double>> found : Figures.byJdk("bandwidth").entrySet()) {
            final Map<String, Double> figures = found.getValue();
            for (final String kind : List.of("send", "send_alone", "write")) {
                for (final String caches : List.of("hot", "warm", "cold")) {
                    final String key = kind + "." + caches;
                    if (!figures.containsKey(key + ".share")) {
                        missing.add("64 KiB by " + Rates.title(kind) + ", " + caches);
                        continue;
                    }
                    add("2: 64 KiB, " + Rates.title(kind) + ", cache-" + caches + jdk(found.getKey()),
                        Unit.GIGABYTES.text(figures.get(key + ".gigabytes")),
                        "`putBytes` " + Unit.GIGABYTES.text(figures.get("copy." + caches + ".gigabytes")),
                        figures.get(key + ".share"), SHARE, false);
                }
            }
        }
    }

    private void allocation() throws IOException {
        final Map<String, Double> figures = Figures.read("rings");
        figures.keySet().removeIf(key -> !key.endsWith(BYTES));
        noBytes("3: bytes allocated per operation, most of " + figures.size() + " rows", figures);
    }

    /** What is held against no yardstick. */
    private void wireAlone() throws IOException {
        for (final Map.Entry<Integer, Map<String, Double>> found : Figures.byJdk(Wire.SECTION).entrySet()) {
            final Map<String, Double> figures = found.getValue();
            final String jdk = jdk(found.getKey());
            atLeast("7: shm, messages of 64 B, send" + jdk, Unit.MILLIONS, figures.get("shm.send_rate"), WIRE_MILLIONS);
            atLeast("7: shm, messages of 64 B, write" + jdk, Unit.MILLIONS, figures.get("shm.write_rate"),
                WIRE_MILLIONS);
            atLeast("7: udp, 64 KiB, send" + jdk, Unit.GIGABYTES, figures.get("udp.send_64k"), 1);
            figures.keySet().removeIf(key -> !key.endsWith(BYTES));
            noBytes("7: bytes allocated per operation, both ends, most" + jdk, figures);
        }
    }

    private void atLeast(final String what, final Unit unit, final double measured, final double bound) {
        add(what, unit.text(measured), "", "", "at least " + unit.text(bound), measured >= bound);
    }

    private void noBytes(final String what, final Map<String, Double> figures) {
        if (figures.isEmpty()) {
            missing.add("allocation");
            return;
        }
        final double most = figures.values().stream().mapToDouble(bytes -> bytes).max().getAsDouble();
        add(what, String.format(Locale.ROOT, "%.2f", most), "", "", "0", most < NO_BYTES);
    }

    private void verbsCalls() throws IOException {
        final Map<String, Double> figures = Figures.read(VerbsCallReport.SECTION);
        if (figures.isEmpty()) {
            missing.add(VerbsCallReport.SECTION);
        }
        for (final String call : List.of("post", "poll16")) {
            figures.keySet().stream().filter(key -> key.startsWith(call + '.') && key.endsWith(".java"))
                .forEach(key -> verbsCall(key.split("\\."), figures.get(key),
                    figures.get(key.replace(".java", ".c"))));
        }
    }

    /** The key is call, JDK and way. */
    private void verbsCall(final String[] key, final double java, final double c) {
        final double bound = CALL_BOUNDS.get(key[2]);
        add(String.format("6: libibverbs, %s, %s, JDK %s", key[0].equals("post") ? "post_send" : "poll of 16",
            key[2].toUpperCase(Locale.ROOT), key[1]), Unit.SHORT_NANOS.text(java), "C " + Unit.SHORT_NANOS.text(c),
            ratio(java / c), "C and " + Unit.NANOS.text(bound), java - c <= bound);
    }

    private static String ratio(final double ratio) {
        return String.format(Locale.ROOT, "%.2f", ratio);
    }

    private void add(final String goal, final String measured, final String yardstick, final double ratio,
        final double bound, final boolean atMost) {
        if (Double.isNaN(bound)) {
            lines.add("| " + String.join(" | ", goal, measured, yardstick, ratio(ratio), "no goal", "") + " |");
            return;
        }
        add(goal, measured, yardstick, ratio(ratio), (atMost ? "at most " : "at least ") + bound,
            atMost ? ratio <= bound : ratio >= bound);
    }

    private void add(final String goal, final String measured, final String yardstick, final String ratio,
        final String bound, final boolean isMet) {
        goals++;
        met += isMet ? 1 : 0;
        lines.add("| " + String.join(" | ", goal, measured, yardstick, ratio, bound, isMet ? "yes" : "**no**") + " |");
    }
}
