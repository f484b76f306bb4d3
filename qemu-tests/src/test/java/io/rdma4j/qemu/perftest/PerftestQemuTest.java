/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.perftest;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.qemu.guest.FabricGuest;
import io.rdma4j.qemu.guest.GuestContext;
import io.rdma4j.qemu.guest.GuestResult;
import io.rdma4j.qemu.guest.GuestPrograms;
import io.rdma4j.qemu.guest.QemuTest;
import io.rdma4j.qemu.process.HostCommand;
import io.rdma4j.testing.TestBudget;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * {@code rdma4j perf} beside perftest on Linux' SoftRoCE: the same guest, the same sizes and numbers, two processes
 * each, in turns. The table that it prints is the one of docs/performance.md; no time is asserted, only that both ran
 * and moved all messages.
 */
@QemuTest
@Tag("one-jdk")
@Timeout(1800)
@EnabledIfSystemProperty(named = TestBudget.PROPERTY, matches = "true", disabledReason = "takes minutes")
class PerftestQemuTest {
    private static final int ROUNDS = Integer.getInteger("rdma4j.perftest.rounds", 1);
    private static final int ITERATIONS = Integer.getInteger("rdma4j.perftest.iterations", 100);
    private static final int BYTES = 64;
    private static final Duration TASKSET = Duration.ofSeconds(60);
    private static final List<String> TABLE = new ArrayList<>();

    private static String yielding;
    private static double cyclesPerMicro;
    private static FabricGuest guest;

    @BeforeAll
    static void boots() throws IOException, InterruptedException {
        guest = FabricGuest.boot(new GuestContext().name("perftest"));
        stayOnOneProcessor();
        yielding = GuestPrograms.compiled(guest, PerftestQemuTest.class, "yielding", "-shared", "-fPIC");
        final String cycles = GuestPrograms.compiled(guest, PerftestQemuTest.class, "cycles");
        cyclesPerMicro = Double.parseDouble(guest.runCommand(List.of(cycles)).output().get(0).strip());
        TABLE.add("| 64 bytes, µs | " + Way.PERFTEST.title() + " | " + Way.PERFTEST_YIELDING.title() + " | "
            + Way.RDMA4J.title() + " | its clock | without that | to the yielding one |");
        TABLE.add("|---|--:|--:|--:|--:|--:|--:|");
    }

    /** One processor, as the guest has: else what it is made of wanders, and a system call takes 2 or 7 µs by that. */
    private static void stayOnOneProcessor() {
        final int last = Runtime.getRuntime().availableProcessors() - 1;
        final HostCommand.Outcome outcome = HostCommand.run(null, TASKSET, List.of("taskset", "-acp",
            Integer.toString(last), Long.toString(guest.pid())));
        assertThat(outcome.succeeded()).as(outcome.text()).isTrue();
    }

    @AfterAll
    static void printsTheTable() {
        if (guest != null) {
            guest.close();
        }
        TABLE.forEach(System.out::println);
        System.out.printf("%d rounds of %d iterations: median of the rounds' t_typical [the lowest]; %.0f cycles are a "
            + "microsecond%n", ROUNDS, ITERATIONS, cyclesPerMicro);
    }

    @ParameterizedTest
    @ValueSource(strings = {"send_lat", "write_lat", "read_lat"})
    void movesAsManyMessagesAsPerftest(final String test) {
        final Map<Way, List<Double>> typical = new EnumMap<>(Way.class);
        final List<Double> clock = new ArrayList<>();
        for (int round = 0; round < ROUNDS; round++) {
            for (final Way way : Way.values()) {
                final LatencyLine line = run(way, test);
                typical.computeIfAbsent(way, key -> new ArrayList<>())
                    .add(line.typical() / (way == Way.RDMA4J ? 1 : cyclesPerMicro));
                if (way == Way.RDMA4J) {
                    clock.add(line.clock());
                }
            }
        }
        final List<Double> fair = typical.get(Way.PERFTEST_YIELDING);
        final List<Double> java = new ArrayList<>();
        for (int round = 0; round < ROUNDS; round++) {
            java.add(typical.get(Way.RDMA4J).get(round) - clock.get(round));
        }
        TABLE.add(String.format(Locale.ROOT, "| `%s` | %s | %s | %s | %.1f | %s | %.2f, %.2f |", test,
            cell(typical.get(Way.PERFTEST)), cell(fair), cell(typical.get(Way.RDMA4J)), median(clock), cell(java),
            median(java) / median(fair), Collections.min(java) / Collections.min(fair)));
    }

    private static String cell(final List<Double> rounds) {
        return String.format(Locale.ROOT, "%.1f [%.1f]", median(rounds), Collections.min(rounds));
    }

    private static LatencyLine run(final Way way, final String test) {
        final GuestResult result = guest.runCommand(way.command(test, BYTES, ITERATIONS, yielding));
        final String output = String.join("\n", result.output());
        assertThat(result.exitCode()).as(output).isZero();
        final LatencyLine line = LatencyLine.in(result.output()).orElseThrow(() -> new AssertionError(output));
        assertThat(line.bytes()).isEqualTo(BYTES);
        assertThat(line.iterations()).isEqualTo(ITERATIONS);
        return line;
    }

    private static double median(final List<Double> values) {
        return values.stream().sorted().skip(values.size() / 2).findFirst().orElseThrow();
    }
}
