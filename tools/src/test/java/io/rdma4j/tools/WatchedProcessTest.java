/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools;

import io.rdma4j.testing.Background;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.rdma4j.testing.OtherJvm;
import io.rdma4j.tools.stat.LoadMain;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.ToLongFunction;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A process under load is watched, far more often than anybody would, and works on as before. Rounds with and without
 * the watcher alternate; what their times were is printed, for people: a busy machine makes them what it likes. What is
 * asserted does not depend on that: the process is not stopped, and what is seen of it is what it did.
 */
@Tag("thorough")
class WatchedProcessTest {
    private static final boolean LONG = Boolean.getBoolean("rdma4j.tests.long");
    private static final int WARM_UP = LONG ? 5 : 2;
    /** What is claimed holds in each; more of them make the medians better that are printed. */
    private static final int ROUNDS = LONG ? 7 : 3;
    private static final long DEADLINE_SECONDS = 60;
    /** Of the load's thread, in a round: it waits for the JVM now and then, with or without somebody looking. */
    private static final long FEW_WAITS = 1000;

    private record Round(long p50, long p99, long p999, long completed, long waits) {
        static Round parse(final String line) {
            final long[] numbers = Arrays.stream(line.split(" ")).mapToLong(Long::parseLong).toArray();
            return new Round(numbers[0], numbers[1], numbers[2], numbers[3], numbers[4]);
        }
    }

    /** The other JVM. */
    private static final class Load implements AutoCloseable {
        private final Process process;
        private final BufferedReader out;
        private final Writer in;

        Load() throws Exception {
            process = new ProcessBuilder(OtherJvm.command(List.of(), LoadMain.class))
                .redirectError(ProcessBuilder.Redirect.INHERIT).start();
            out = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
            in = process.outputWriter(StandardCharsets.UTF_8);
            assertThat(line()).isEqualTo("ready");
        }

        /** Reading cannot be interrupted, but the process can be ended. */
        private String line() throws Exception {
            final FutureTask<String> line = new FutureTask<>(out::readLine);
            final Thread reader = new Thread(line, "reader");
            reader.setDaemon(true);
            reader.start();
            try {
                return line.get(DEADLINE_SECONDS, TimeUnit.SECONDS);
            } catch (final TimeoutException e) {
                process.destroyForcibly();
                throw new AssertionError("the load said nothing for " + DEADLINE_SECONDS + " s", e);
            }
        }

        Round play() throws Exception {
            in.write("\n");
            in.flush();
            final String line = line();
            assertThat(line).as("what the load answers").matches("\\d+( \\d+){4}");
            return Round.parse(line);
        }

        String pid() {
            return Long.toString(process.pid());
        }

        @Override
        public void close() throws IOException {
            process.destroyForcibly();
            in.close();
        }
    }

    /**
     * Looks at a process again and again, in every way that there is, until it is told to end; at least once, even if
     * it gets a processor only then.
     */
    private static final class Watcher {
        private final AtomicBoolean ends = new AtomicBoolean();
        private final CompletableFuture<List<JsonObject>> seen;

        Watcher(final String pid) {
            seen = CompletableFuture.supplyAsync(() -> look(pid), Background::run);
        }

        private List<JsonObject> look(final String pid) {
            final List<JsonObject> looks = new ArrayList<>();
            do {
                final String out = good("stat", "--pid", pid, "-v", "--json", "--count", "3", "--interval", "0.01");
                out.lines().forEach(line -> looks.add(JsonParser.parseString(line).getAsJsonObject()));
                good("qp", "--pid", pid);
                good("cq", "--pid", pid, "--json");
            } while (!ends.get());
            return looks;
        }

        private static String good(final String... args) {
            final Cli.Outcome outcome = Cli.run(args);
            assertThat(outcome.exitCode()).as("%s: %s", List.of(args), outcome.err()).isZero();
            return outcome.out();
        }

        List<JsonObject> end() throws Exception {
            ends.set(true);
            return seen.get(DEADLINE_SECONDS, TimeUnit.SECONDS);
        }
    }

    private static long completions(final JsonObject look) {
        return look.getAsJsonArray("devices").get(0).getAsJsonObject().getAsJsonObject("totals").get("completions")
            .getAsLong();
    }

    @Test
    @Timeout(240)
    void worksOnAsBefore() throws Exception {
        final List<Round> alone = new ArrayList<>();
        final List<Round> watched = new ArrayList<>();
        int looks = 0;
        try (Load load = new Load()) {
            for (int i = 0; i < WARM_UP; i++) {
                load.play();
            }
            long before = 0;
            for (int i = 0; i < ROUNDS; i++) {
                alone.add(load.play());
                before = Math.max(before, alone.get(i).completed());
                final Watcher watcher = new Watcher(load.pid());
                final Round round = load.play();
                final List<JsonObject> seen = watcher.end();
                watched.add(round);
                looks += seen.size();
                for (final JsonObject look : seen) {
                    assertThat(completions(look)).as("%s", look).isBetween(before, round.completed());
                    before = completions(look);
                }
            }
            final Cli.Outcome last = Cli.run("stat", "--pid", load.pid(), "--once", "--json");
            assertThat(completions(last.json())).isEqualTo(watched.get(ROUNDS - 1).completed());
        }
        print(alone, watched, looks);
        assertThat(looks).isGreaterThan(ROUNDS);
        assertThat(watched).allMatch(round -> round.waits() < FEW_WAITS);
    }

    private static long median(final List<Round> rounds, final ToLongFunction<Round> number) {
        return rounds.stream().mapToLong(number).sorted().skip(rounds.size() / 2).findFirst().orElseThrow();
    }

    @SuppressWarnings("checkstyle:regexpsinglelinejava") // The figures are for who reads the log of the build.
    private static void print(final List<Round> alone, final List<Round> watched, final int looks) {
        System.out.printf("A process under load, medians of %d rounds of 1,000,000 messages (nanoseconds):%n", ROUNDS);
        System.out.printf("%-16s %8s %8s %8s %14s%n", "", "p50", "p99", "p99.9", "waits a round");
        for (final List<Round> rounds : List.of(alone, watched)) {
            System.out.printf("%-16s %8d %8d %8d %14d%n",
                rounds == alone ? "alone" : looks / ROUNDS + " looks", median(rounds, Round::p50),
                median(rounds, Round::p99), median(rounds, Round::p999), median(rounds, Round::waits));
        }
    }
}
