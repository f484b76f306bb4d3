/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.testing.Background;
import io.rdma4j.testing.Loopback;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * pingpong and perf with the hand-shakes of other projects' programs: with one that behaves like them, and perf with
 * itself. In RxeQemuTest the programs themselves are at the other end.
 */
@Tag("thorough")
class ForeignPeersTest {
    private static final long DEADLINE_SECONDS = 60;

    private static InetSocketAddress addressOf(final Listening listening) throws Exception {
        final String text = listening.address();
        return new InetSocketAddress(InetAddress.getLoopbackAddress(),
            Integer.parseInt(text.substring(text.lastIndexOf(':') + 1)));
    }

    private static Socket reach(final Listening listening) throws Exception {
        final Socket socket = new Socket();
        socket.setSoTimeout((int) TimeUnit.SECONDS.toMillis(DEADLINE_SECONDS));
        socket.connect(addressOf(listening));
        return socket;
    }

    @ParameterizedTest
    @CsvSource({
        "false, 4096, '', 1000", "false, 10000, -s 10000 -n 20, 20", "true, 1024, --ud, 1000",
        "true, 1, --ud -s 1 -n 7, 7", "false, 64, -s 64 -n 50 --wait block, 50",
        "false, 64, -s 64 -n 1 --no-validate, 1"
    })
    void pingpongAnswersAProgramWithOneBuffer(
        final boolean datagrams, final int size, final String options, final int iterations) throws Exception {
        final Listening listening = new Listening(
            ("pingpong -d emulated:ours --peer ibverbs --json --listen=:0 " + options).strip());
        try (SingleBufferProgram program = new SingleBufferProgram("emulated:theirs", datagrams, size, 0);
            Socket socket = reach(listening)) {
            program.asClient(socket, iterations);
            final Cli.Outcome outcome = listening.outcome();
            assertThat(outcome.exitCode()).as(outcome.err()).isZero();
            assertThat(outcome.json().get("messages").getAsInt()).isEqualTo(iterations);
            assertThat(outcome.json().get("messages_validated").getAsInt())
                .isEqualTo(options.contains("--no-validate") ? 0 : iterations - 1);
        }
    }

    private static Cli.Outcome withServer(
        final boolean datagrams, final int size, final int iterations, final int spoils, final String options)
        throws Exception {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
            SingleBufferProgram program = new SingleBufferProgram("emulated:theirs", datagrams, size, spoils)) {
            final CompletableFuture<Void> end = CompletableFuture.runAsync(() -> {
                try (Socket socket = server.accept()) {
                    program.asServer(socket, iterations);
                } catch (final IOException e) {
                    throw new AssertionError(e);
                }
            }, Background::run);
            final Cli.Outcome outcome = Cli.run(("pingpong -d emulated:ours --peer ibverbs --json " + options
                + " 127.0.0.1:" + server.getLocalPort()).split(" +"));
            if (outcome.exitCode() == 0) {
                end.get(DEADLINE_SECONDS, TimeUnit.SECONDS);
            }
            return outcome;
        }
    }

    @ParameterizedTest
    @CsvSource({
        "false, 4096, '', 1000", "false, 10000, -s 10000 -n 20, 20", "true, 1024, --ud, 1000",
        "false, 64, -s 64 -n 1 --wait spin, 1"
    })
    void pingpongPlaysWithAProgramWithOneBuffer(
        final boolean datagrams, final int size, final String options, final int iterations) throws Exception {
        final Cli.Outcome outcome = withServer(datagrams, size, iterations, 0, options);
        assertThat(outcome.exitCode()).as(outcome.err()).isZero();
        assertThat(outcome.json().get("iterations").getAsInt()).isEqualTo(iterations);
        assertThat(outcome.json().get("warmup_iterations").getAsInt()).isZero();
        assertThat(outcome.json().get("messages_validated").getAsInt()).isEqualTo(2 * iterations);
    }

    @Test
    void aByteThatIsNotWhatWasSentIsFound() throws Exception {
        final Cli.Outcome near = withServer(false, 64, 20, 5, "-s 64 -n 20");
        assertThat(near.exitCode()).isEqualTo(1);
        assertThat(near.err()).contains("way back of round trip 4: byte 63 of 64 is 0x", "was sent before");
        final Listening listening =
            new Listening("pingpong -d emulated:ours --peer ibverbs -s 64 -n 20 --listen=:0");
        try (SingleBufferProgram program = new SingleBufferProgram("emulated:theirs", false, 64, 5);
            Socket socket = reach(listening)) {
            CompletableFuture.runAsync(() -> {
                try {
                    program.asClient(socket, 20);
                } catch (final IOException e) {
                    throw new AssertionError(e);
                }
            }, Background::run);
            assertThat(listening.outcome().exitCode()).isEqualTo(1);
            assertThat(listening.outcome().err()).contains("way out of round trip 5: byte 63 of 64 is 0x");
        }
    }

    @ParameterizedTest
    @CsvSource({"127.0.0.1", "--connect 127.0.0.1"})
    void nobodyIsThere(final String place) throws Exception {
        try (Socket deaf = Loopback.deafPort()) {
            for (final String game : new String[] {"pingpong --peer ibverbs ", "perf send_lat --peer perftest "}) {
                final Cli.Outcome outcome = Cli.run((game + place + ":" + deaf.getLocalPort()).split(" "));
                assertThat(outcome.exitCode()).isEqualTo(1);
                assertThat(outcome.errLines()).singleElement().asString()
                    .contains("connect with another program", "start the other program first");
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"pingpong --peer ibverbs", "perf send_lat --peer perftest"})
    void nobodyComesOrAStrangerDoes(final String game) throws Exception {
        final Cli.Outcome alone = Cli.run((game + " --listen=:0 --timeout 0.1").split(" "));
        assertThat(alone.exitCode()).isEqualTo(1);
        assertThat(alone.err()).contains("rdma4j: listening at 127.0.0.1:", "nobody came within 0.1 s", "ETIMEDOUT");
        final Listening listening = new Listening(game + " --listen=:0");
        try (Socket socket = reach(listening)) {
            socket.getOutputStream()
                .write(("GET / HTTP/1.1\r\n" + "x".repeat(64)).getBytes(StandardCharsets.US_ASCII));
            assertThat(listening.outcome().exitCode()).isEqualTo(1);
            assertThat(listening.outcome().errLines()).singleElement().asString()
                .contains("it said 'GET / HTTP/1.1?", "EINVAL");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "send_lat -s 64 -n 300, 299, 300, true", "write_lat -s 64 -n 300, 300, 299, true", "write_lat -n 5, 5, 4, true",
        "read_lat -s 4k -n 50, 0, 50, false", "atomic_lat -n 50, 0, 50, false",
        "atomic_lat -n 50 -A CMP_AND_SWAP, 0, 50, false", "send_bw -s 4k -n 700, 0, 700, false",
        "write_bw -s 4k -n 500, 0, 500, false", "read_bw -s 1m -n 10, 0, 10, false"
    })
    void perfSpeaksPerftestsWordsAtBothEnds(
        final String test, final int atServer, final int atClient, final boolean bothMeasure) throws Exception {
        final Listening server =
            new Listening("perf " + test + " --peer perftest -d emulated:there --json --server=:0");
        final Cli.Outcome near = Cli.run(("perf " + test + " --peer perftest -d emulated:here --json "
            + server.address()).split(" "));
        final Cli.Outcome far = server.outcome();
        assertThat(near.exitCode()).as(near.err() + far.err()).isZero();
        assertThat(far.exitCode()).as(far.err()).isZero();
        assertThat(iterations(near)).isEqualTo(atClient);
        assertThat(near.json().get("peer").getAsString()).isEqualTo(server.address());
        if (bothMeasure) {
            assertThat(iterations(far)).isEqualTo(atServer);
        } else if (test.startsWith("read_lat") || test.startsWith("atomic_lat")) {
            assertThat(far.json().has("messages")).as("nobody told this end of any").isFalse();
        } else {
            assertThat(far.json().get("messages").getAsInt()).isEqualTo(atClient);
        }
    }

    /** An end that lends its memory hears nothing of what is done with it: it tells no number that it was given. */
    @Test
    void theEndThatLentItsMemoryTellsNoNumber() throws Exception {
        final String line = "perf read_lat --peer perftest -d emulated:lends -n 1000 --server=:0";
        for (final String json : new String[] {"", " --json"}) {
            final Listening server = new Listening(line + json);
            final Cli.Outcome near = Cli.run(
                ("perf read_lat --peer perftest -d emulated:reads -n 50 " + server.address()).split(" "));
            final Cli.Outcome far = server.outcome();
            assertThat(near.exitCode() + far.exitCode()).as(near.err() + far.err()).isZero();
            assertThat(far.out()).contains("emulated:lends").doesNotContain("1000");
            if (json.isEmpty()) {
                assertThat(far.out()).contains(", this end lent its memory. The figures are on the other side.");
            } else {
                assertThat(far.json().keySet()).containsExactlyInAnyOrder("test", "device", "peer");
            }
        }
    }

    private static int iterations(final Cli.Outcome outcome) {
        return outcome.json().getAsJsonArray("rows").get(0).getAsJsonObject().get("iterations").getAsInt();
    }

    @Waiting
    @Test
    void perftestThatWasGivenAnotherNumberIsAnError() throws Exception {
        final Listening fewer = new Listening(
            "perf write_bw -s 64 -n 50 --peer perftest -d emulated:fewer --server=:0 --timeout 50");
        final Cli.Outcome more = Cli.run(("perf write_bw -s 64 -n 60 --peer perftest -d emulated:more --timeout 50 "
            + fewer.address()).split(" "));
        assertThat(fewer.outcome().exitCode()).isEqualTo(1);
        assertThat(fewer.outcome().err()).contains("it moved 60 messages of 64 bytes", "of 50 of 64");
        assertThat(more.exitCode()).isEqualTo(1);
        final Listening waiting = new Listening(
            "perf send_bw -s 64 -n 60 --peer perftest -d emulated:waiting --server=:0 --timeout 10");
        final Cli.Outcome done = Cli.run(("perf send_bw -s 64 -n 50 --peer perftest -d emulated:done --timeout 10 "
            + waiting.address()).split(" "));
        assertThat(waiting.outcome().exitCode()).isEqualTo(1);
        assertThat(waiting.outcome().err())
            .contains("nothing came for 10.0 s", "the other end is perftest at 127.0.0.1");
        assertThat(done.exitCode()).isEqualTo(1);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "pingpong --peer ibverbs                      | needs '--listen', '--connect' or HOST",
        "pingpong --peer perftest localhost           | 'perftest' is not ibverbs",
        "pingpong --peer ibverbs localhost --op read  | leave '--op read' out",
        "pingpong --peer ibverbs localhost -D 1       | give '-n' instead of '-D'",
        "pingpong --peer ibverbs localhost -w 1       | leave '--warmup' out",
        "pingpong --peer ibverbs localhost -s 0       | one byte at least",
        "pingpong localhost --connect=localhost       | mutually exclusive",
        "perf send_lat --peer perftest                | needs '--server' or HOST",
        "perf send_lat --peer ibverbs localhost       | 'ibverbs' is not perftest",
        "perf msg_rate --peer perftest localhost      | perftest has no msg_rate",
        "perf send_lat -a --peer perftest localhost   | give '-s' instead of '-a'",
        "perf send_lat -D 1 --peer perftest localhost | give '-n' instead of '-D'",
        "perf send_bw -q 2 --peer perftest localhost  | leave '-q' out",
        "perf send_lat --warmup 1 --peer perftest h   | leave '--warmup' out",
        "perf send_lat -s 0 --peer perftest localhost | one byte at least",
        "perf send_lat -n 4 --peer perftest localhost | 5 iterations at least",
        "perf send_lat localhost --connect localhost  | they are the same",
        "perf send_lat --listen --connect localhost   | exclude each other"
    })
    void wrongUsage(final String line, final String why) {
        final Cli.Outcome outcome = Cli.run(line.strip().split(" +"));
        assertThat(outcome.exitCode()).as(outcome.err()).isEqualTo(2);
        assertThat(outcome.err()).contains(why);
    }
}
