/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.benchmarks;

import io.rdma4j.benchmarks.calls.VerbsCallReport;
import io.rdma4j.benchmarks.flow.Rates;
import io.rdma4j.benchmarks.harness.Arguments;
import io.rdma4j.benchmarks.harness.Figures;
import io.rdma4j.benchmarks.harness.Machine;
import io.rdma4j.benchmarks.roundtrip.TagMatching;
import io.rdma4j.benchmarks.wire.Wire;
import java.io.IOException;
import java.nio.file.attribute.FileTime;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** Holds what the sections found against what was aimed at, in one table. */
public final class Goals {
    private static final String USAGE = "usage: Goals [--quick] [--doc FILE]";
    private static final String SECTION = "goals";
    private static final double RING_BOUND = 1.1;
    private static final double SEND_BOUND = 1;
    private static final double WRITE_BOUND = 2;
    private static final double MILLIONS = 10;
    private static final double SHARE = 0.9;
    private static final double WIRE_WRITE_BOUND = 0.5;
    private static final double WIRE_UDP_BOUND = 1.3;
    private static final double WIRE_MILLIONS = 5;
    private static final double WIRE_SHARE = 0.6;
    private static final double WIRE_TIMES = 2;
    private static final double TAGGED_BOUND = 1.15;
    private static final double TAGS_BOUND = 2;
    /** What the profiler itself allocates, divided by the operations of an iteration, stays below. */
    private static final double NO_BYTES = 0.5;
    private static final String BYTES = ".bytes";
    private static final String[][] RINGS = {
        {"postSend", "post_send"},
        {"postSend16", "post_send, 16 with one doorbell"},
        {"postReceive", "post_recv"},
        {"poll1", "poll of 1"},
        {"poll16", "poll of 16"},
        {"postDevicePoll", "post, fake device, poll"},
    };

    /** Nanoseconds above C of a call of libibverbs. */
    private static final Map<String, Double> CALL_BOUNDS = Map.of("ffm", 12.0, "jna", 80.0);

    private final List<String> lines = new ArrayList<>();
    private final List<String> missing = new ArrayList<>();
    private int goals;
    private int met;

    private Goals() {
        lines.add("| goal | measured | yardstick | ratio | bound | met |");
        lines.add("|---|--:|--:|--:|--:|---|");
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
        roundTrips();
        rates();
        bandwidth();
        allocation();
        verbsCalls();
        wire();
        tags();
        lines.add("| 3: no megamorphic call on the path | | | | | see the inlining decisions below |");
        lines.add("| 4: scaling | | | | | see the tables of it below |");
        lines.add("| 5: tail | | | | | see the table of it below |");
        lines.add("");
        lines.add(met + " of " + goals + " with a bound are met" + (missing.isEmpty() ? "" : "; not measured: "
            + String.join(", ", missing)) + ". Measured, UTC: " + times() + ".");
        lines.addAll(Machine.describe());
        return lines;
    }

    private static String times() throws IOException {
        final List<String> times = new ArrayList<>();
        for (final String section : List.of("rings", "roundtrip", "rates", "bandwidth", VerbsCallReport.SECTION,
            Wire.SECTION, TagMatching.SECTION)) {
            final FileTime time = Figures.writtenAt(section);
            times.add(section + (time == null ? " never" : " " + time.toInstant().truncatedTo(ChronoUnit.SECONDS)));
        }
        return String.join(", ", times);
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
                final String prefix = ring[0] + "." + jdk + ".";
                atMost("1: " + ring[1] + ", JDK " + jdk, nanos(figures.get(prefix + "java"), 1),
                    "lock-free C " + nanos(figures.get(prefix + "free"), 1),
                    figures.get(prefix + "java") / figures.get(prefix + "free"), RING_BOUND);
            }
        }
    }

    private void roundTrips() throws IOException {
        final Map<String, Double> figures = Figures.read("roundtrip");
        if (has(figures, "send.p50", "round trip of RC SEND")) {
            atMost("2: RC SEND there and back, 64 B", nanos(figures.get("send.p50"), 0),
                "Agrona rings " + nanos(figures.get("rings.p50"), 0), figures.get("send.p50.by_rings"), SEND_BOUND);
        }
        if (has(figures, "write.p50", "round trip of RDMA WRITE")) {
            atMost("2: RDMA WRITE there and back, 64 B", nanos(figures.get("write.p50"), 0),
                "F " + nanos(figures.get("floor.p50"), 0), figures.get("write.p50.by_floor"), WRITE_BOUND);
        }
    }

    private void rates() throws IOException {
        final Map<String, Double> figures = Figures.read("rates");
        for (final String kind : List.of("send", "write_watched", "write")) {
            final String key = kind + ".millions";
            if (has(figures, key, "rate of " + Rates.title(kind))) {
                atLeast("2: messages of 64 B, " + Rates.title(kind) + threads(kind), millions(figures.get(key)),
                    "Agrona ring " + millions(figures.get("ring.millions")),
                    figures.get(key) / figures.get("ring.millions"), millions(MILLIONS),
                    figures.get(key) >= MILLIONS);
            }
        }
    }

    private static String threads(final String kind) {
        return Rates.threads(kind) == 1 ? ", one thread" : ", two threads";
    }

    private void bandwidth() throws IOException {
        final Map<String, Double> figures = Figures.read("bandwidth");
        for (final String kind : List.of("send", "send_alone", "write")) {
            for (final String caches : List.of("hot", "warm", "cold")) {
                final String key = kind + "." + caches;
                if (has(figures, key + ".share", "64 KiB by " + Rates.title(kind) + ", " + caches)) {
                    final double share = figures.get(key + ".share");
                    atLeast("2: 64 KiB, " + Rates.title(kind) + ", cache-" + caches,
                        gigabytes(figures.get(key + ".gigabytes")),
                        "`putBytes` " + gigabytes(figures.get("copy." + caches + ".gigabytes")), share,
                        String.format(Locale.ROOT, "%.1f", SHARE), share >= SHARE);
                }
            }
        }
    }

    private void allocation() throws IOException {
        final Map<String, Double> figures = Figures.read("rings");
        figures.keySet().removeIf(key -> !key.endsWith(BYTES));
        if (figures.isEmpty()) {
            missing.add("allocation");
            return;
        }
        final double most = figures.values().stream().mapToDouble(bytes -> bytes).max().getAsDouble();
        add("3: bytes allocated per operation, most of " + figures.size() + " rows",
            String.format(Locale.ROOT, "%.2f", most), "", "", "0", most < NO_BYTES);
    }

    private void verbsCalls() throws IOException {
        final Map<String, Double> figures = Figures.read(VerbsCallReport.SECTION);
        if (figures.isEmpty()) {
            missing.add("calls of libibverbs");
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
            key[2].toUpperCase(Locale.ROOT), key[1]), nanos(java, 1), "C " + nanos(c, 1), ratio(java / c),
            "C and " + nanos(bound, 0), java - c <= bound);
    }

    private void wire() throws IOException {
        final Map<String, Double> figures = Figures.read(Wire.SECTION);
        if (figures.isEmpty()) {
            missing.add("a wire");
            return;
        }
        wireTrip(figures, "shm, RC SEND there and back, 64 B", "shm.send_trip", "libfabric shm", "fi.shm", 1);
        wireTrip(figures, "shm, RDMA WRITE there and back, 64 B", "shm.write_trip", "libfabric shm", "fi.shm",
            WIRE_WRITE_BOUND);
        wireTrip(figures, "udp, RC SEND there and back, 64 B", "udp.send_trip", "NIO UDP", "nio", WIRE_UDP_BOUND);
        wireTrip(figures, "udp, RC SEND there and back, 64 B", "udp.send_trip", "libfabric udp;ofi_rxd", "fi.udp", 1);
        wireTrip(figures, "udp, RC SEND there and back, 64 B", "udp.send_trip", "libfabric tcp;ofi_rxm", "fi.tcp", 1);
        for (final String kind : List.of("send", "write")) {
            final double rate = figures.get("shm." + kind + "_rate");
            add("7: shm, messages of 64 B, " + kind, millions(rate), "", "", "at least " + millions(WIRE_MILLIONS),
                rate >= WIRE_MILLIONS);
            wireStream(figures, "64 KiB, " + kind, "shm." + kind + "_64k", "memcpy", "copy.65536", WIRE_SHARE);
            wireStream(figures, "64 KiB, " + kind, "shm." + kind + "_64k", "libfabric shm", "fi.shm.64k",
                WIRE_TIMES);
            wireStream(figures, "1 MiB, " + kind, "shm." + kind + "_1m", "memcpy", "copy.1048576", WIRE_SHARE);
        }
        final double stream = figures.get("udp.send_64k");
        add("7: udp, 64 KiB, send", gigabytes(stream), "", "", "at least " + gigabytes(1), stream >= 1);
        final double most = figures.entrySet().stream().filter(entry -> entry.getKey().endsWith(BYTES))
            .mapToDouble(Map.Entry::getValue).max().orElse(0);
        add("7: bytes allocated per operation, both ends, most", String.format(Locale.ROOT, "%.2f", most), "", "", "0",
            most < NO_BYTES);
    }

    private void wireTrip(final Map<String, Double> figures, final String what, final String key, final String title,
        final String yardstick, final double bound) {
        if (has(figures, yardstick, title)) {
            atMost("7: " + what, micros(figures.get(key)), title + " " + micros(figures.get(yardstick)),
                figures.get(key) / figures.get(yardstick), bound);
        }
    }

    private void wireStream(final Map<String, Double> figures, final String what, final String key,
        final String title, final String yardstick, final double bound) {
        if (has(figures, yardstick, title)) {
            final double ratio = figures.get(key) / figures.get(yardstick);
            atLeast("7: shm, " + what, gigabytes(figures.get(key)), title + " " + gigabytes(figures.get(yardstick)),
                ratio, String.format(Locale.ROOT, "%.1f", bound), ratio >= bound);
        }
    }

    private void tags() throws IOException {
        final Map<String, Double> figures = Figures.read(TagMatching.SECTION);
        if (has(figures, "plain", "tagged messages")) {
            tags(figures, "there and back", "tagged", "without tags", "plain", TAGGED_BOUND);
            tags(figures, "there before its receive", "unexpected", "without tags", "plain", TAGS_BOUND);
            tags(figures, "beside 10,000 receives", "beside_10_000", "beside 10", "beside_10", TAGS_BOUND);
        }
    }

    private void tags(final Map<String, Double> figures, final String what, final String key, final String title,
        final String yardstick, final double bound) {
        atMost("8: tagged message of 64 B, " + what, nanos(figures.get(key), 0),
            title + " " + nanos(figures.get(yardstick), 0), figures.get(key) / figures.get(yardstick), bound);
    }

    private boolean has(final Map<String, Double> figures, final String key, final String what) {
        if (!figures.containsKey(key)) {
            missing.add(what);
        }
        return figures.containsKey(key);
    }

    private static String nanos(final double value, final int digits) {
        return String.format(Locale.ROOT, "%." + digits + "f ns", value);
    }

    private static String micros(final double value) {
        return String.format(Locale.ROOT, "%.2f µs", value);
    }

    private static String millions(final double value) {
        return String.format(Locale.ROOT, "%.1f M/s", value);
    }

    private static String gigabytes(final double value) {
        return String.format(Locale.ROOT, "%.1f GB/s", value);
    }

    private void atMost(
        final String goal, final String measured, final String yardstick, final double ratio, final double bound) {
        add(goal, measured, yardstick, ratio(ratio), "at most " + bound, ratio <= bound);
    }

    private void atLeast(final String goal, final String measured, final String yardstick, final double ratio,
        final String bound, final boolean isMet) {
        add(goal, measured, yardstick, ratio(ratio), "at least " + bound, isMet);
    }

    private static String ratio(final double ratio) {
        return String.format(Locale.ROOT, "%.2f", ratio);
    }

    private void add(final String goal, final String measured, final String yardstick, final String ratio,
        final String bound, final boolean isMet) {
        goals++;
        met += isMet ? 1 : 0;
        lines.add("| " + String.join(" | ", goal, measured, yardstick, ratio, bound, isMet ? "yes" : "**no**") + " |");
    }
}
