/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools;

import io.rdma4j.testing.OtherJvm;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;

/** Both ends as two command lines, over loopback TCP: in this JVM, where devices reach each other, and in two. */
@Tag("thorough")
class PerfProcessesTest {
    private static final long DEADLINE_SECONDS = 60;

    /** The end that waits for another. */
    private static final class Server {
        private final Listening listening;

        Server(final String line) {
            listening = new Listening("perf " + line + " --server=:0");
        }

        String address() throws Exception {
            return listening.address();
        }

        Cli.Outcome client(final String line) throws Exception {
            return Cli.run(("perf " + line + " " + address()).split(" "));
        }

        Cli.Outcome outcome() throws Exception {
            return listening.outcome();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "send_lat, 306", "write_lat -s 64, 306", "read_lat, 306", "atomic_lat, 306", "send_bw -s 4k, 306",
        "send_bw -s 64 -q 3, 918", "write_bw -q 2, 612", "read_bw -s 1m, 306", "msg_rate -q 2, 612"
    })
    void twoEndsRunEachTest(final String test, final long messages) throws Exception {
        final Server server = new Server(test + " -d emulated:there --json");
        final Cli.Outcome near = server.client(test + " -d emulated:here -n 300 --warmup 6 --json");
        final Cli.Outcome far = server.outcome();
        assertThat(near.exitCode()).as(near.err() + far.err()).isZero();
        assertThat(far.exitCode()).as(far.err()).isZero();
        assertThat(near.err() + far.err()).isEmpty();
        assertThat(near.json().get("peer").getAsString()).isEqualTo(server.address());
        assertThat(near.json().get("device").getAsString()).isEqualTo("emulated:here");
        assertThat(far.json().get("messages").getAsLong()).isEqualTo(messages);
        assertThat(far.json().get("peer").getAsString()).startsWith("127.0.0.1:");
    }

    @Test
    void theOtherEndIsNamedAsByPingpong() throws Exception {
        final Listening listening = new Listening("perf send_lat -d emulated:there --json --listen 0");
        final Cli.Outcome near = Cli.run("perf", "send_lat", "-d", "emulated:here", "-n", "20", "--warmup", "0",
            "--json", "--connect", listening.address());
        assertThat(near.exitCode()).as(near.err() + listening.outcome().err()).isZero();
        assertThat(near.json().get("peer").getAsString()).isEqualTo(listening.address());
        assertThat(listening.outcome().json().get("messages").getAsLong()).isEqualTo(20);
    }

    @Test
    void allSizesGoOverOneConnection() throws Exception {
        final Server server = new Server("send_lat -a -d emulated:there");
        final Cli.Outcome near = server.client("send_lat -a -d emulated:here -n 2 --warmup 1 --json");
        assertThat(near.exitCode()).as(near.err() + server.outcome().err()).isZero();
        assertThat(near.json().getAsJsonArray("rows")).hasSize(23);
        assertThat(server.outcome().out()).startsWith("Send Latency Test: emulated:there <-> 127.0.0.1:")
            .contains(" 69 messages, those for warming up included. The figures are on the other side.");
    }

    /** For READs the other end hears nothing in between: it has to be told that all is well. */
    @Waiting
    @Test
    void theEndThatLendsItsMemoryWaitsAsLongAsTheOtherIsThere() throws Exception {
        final Server server = new Server("read_lat --timeout 5 -d emulated:lender");
        final Cli.Outcome near = server.client("read_lat --timeout 5 -d emulated:borrower --warmup 0 -D 6");
        assertThat(near.exitCode()).as(near.err()).isZero();
        assertThat(server.outcome().exitCode()).as(server.outcome().err()).isZero();
    }

    @ParameterizedTest
    @CsvSource({
        "send_lat, send_bw", "read_lat, write_lat", "send_lat -s 64, send_lat -s 65", "send_bw -q 2, send_bw -q 3",
        "send_lat -a, send_lat"
    })
    void differentTestsAreRefusedByBoth(final String there, final String here) throws Exception {
        final Server server = new Server(there + " -d emulated:there");
        final Cli.Outcome near = server.client(here + " -d emulated:here");
        for (final Cli.Outcome outcome : List.of(near, server.outcome())) {
            assertThat(outcome.exitCode()).as(outcome.err()).isEqualTo(1);
            assertThat(outcome.out()).isEmpty();
            assertThat(outcome.errLines()).singleElement().asString().contains("this side runs '", "EINVAL");
        }
    }

    /** It would be told as if it had been that; the other side's device is known only now. */
    @ParameterizedTest
    @CsvSource({
        "send_bw -m 4096, ?mtu=1024, ?mtu=4096, '-m 4096 was asked for, with the other side it is 1024'",
        "read_bw -o 16, ?max_qp_rd_atom=4, '', '-o 16 was asked for, with the other side it is 4'"
    })
    void lessThanWasAskedForIsRefusedByBoth(
        final String test, final String there, final String here, final String why) throws Exception {
        for (final String peer : List.of("", " --peer perftest")) {
            final String name = test.split(" ")[0] + peer;
            final Server server = new Server(name + " --timeout 50 -d emulated:there" + there);
            final Cli.Outcome near = server.client(test + peer + " --json --timeout 50 -d emulated:here" + here);
            assertThat(near.exitCode()).as(near.err()).isEqualTo(1);
            assertThat(near.out()).isEmpty();
            assertThat(near.errLines()).singleElement().asString().contains(why, "EINVAL");
            assertThat(server.outcome().exitCode()).as(server.outcome().err()).isEqualTo(1);
        }
    }

    /** What the other side takes more of takes nothing away. */
    @Test
    void asMuchAsWasAskedForIsMeasured() throws Exception {
        final Server server = new Server("read_bw -d emulated:there");
        final Cli.Outcome near = server.client("read_bw -m 1024 -o 2 -n 5 --warmup 0 --json -d emulated:here");
        assertThat(near.exitCode()).as(near.err() + server.outcome().err()).isZero();
        assertThat(near.json().get("options").getAsString()).contains("-m 1024 -o 2");
    }

    @Test
    void nobodyThereIsAnError() {
        final Cli.Outcome refused = Cli.run("perf", "send_lat", "127.0.0.1", "-p", "1");
        assertThat(refused.exitCode()).isEqualTo(1);
        assertThat(refused.errLines()).singleElement().asString().contains("connect QP over TCP", "127.0.0.1:1");
        final Cli.Outcome alone = Cli.run("perf", "send_lat", "--server", "-p", "0", "--timeout", "0.2");
        assertThat(alone.exitCode()).isEqualTo(1);
        assertThat(alone.err()).contains(Listening.WORDS + "127.0.0.1:", "no peer came in time", "ETIMEDOUT");
    }

    @Waiting
    @ParameterizedTest
    @ValueSource(strings = {"send_lat", "write_lat", "read_lat", "send_bw"})
    void aClientThatEndsInTheMiddleIsNoticed(final String test) throws Exception {
        final Server server = new Server(test + " -d fake:there-" + test + "?lacks=none --timeout 10 -s 64");
        final Cli.Outcome near = server.client(
            test + " -d fake:here-" + test + "?lacks=none&fault=error&qp=1&after=6 --warmup 0 -s 64"
                + (test.endsWith("bw") ? " -Q 1 -t 1" : ""));
        assertThat(near.exitCode()).isEqualTo(1);
        assertThat(near.err()).contains(test + " failed", "RNR_RETRY_EXC_ERR");
        final Cli.Outcome far = server.outcome();
        assertThat(far.exitCode()).isEqualTo(1);
        assertThat(far.errLines().get(0)).contains("nothing came for 10.0 s", "server QP 0x", "in another process");
        assertThat(far.err()).contains("dump of fake:there-" + test);
    }

    @Waiting
    @Test
    void anotherProgramIsRefused() throws Exception {
        final Server server = new Server("send_lat -d emulated:strangers --timeout 50");
        final String address = server.address();
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(),
            Integer.parseInt(address.substring(address.lastIndexOf(':') + 1)))) {
            socket.getOutputStream()
                .write(("GET / HTTP/1.1\r\n\r\n" + "x".repeat(64)).getBytes(StandardCharsets.UTF_8));
            assertThat(server.outcome().exitCode()).isEqualTo(1);
        }
        final Server pingPong = new Server("send_lat -d emulated:strangers --timeout 50");
        final Cli.Outcome near = Cli.run("pingpong", "-d", "emulated:stranger", "--connect", pingPong.address());
        assertThat(near.exitCode()).isEqualTo(1);
        assertThat(pingPong.outcome().exitCode()).isEqualTo(1);
        // Whichever end reads first refuses; the other one may find its connection closed.
        assertThat(near.err() + pingPong.outcome().err())
            .containsAnyOf("no perf of this version", "no ping-pong of this version");
    }

    @Test
    void devicesWithoutAWireSayAtOnceThatTheyDoNotReachEachOther() throws Exception {
        final Server server = new Server("send_lat -d emulated:there?wire=none --timeout 50");
        final Process process = new ProcessBuilder(OtherJvm.command(List.of(), Main.class,
            "perf", "send_lat", "-d", "emulated:?wire=none", "--timeout", "50", server.address()))
            .redirectErrorStream(true).start();
        try {
            final String near = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(process.waitFor(DEADLINE_SECONDS, TimeUnit.SECONDS)).as(near).isTrue();
            assertThat(process.exitValue()).as(near).isEqualTo(1);
            assertThat(server.outcome().exitCode()).isEqualTo(1);
            for (final String text : List.of(near, server.outcome().err())) {
                assertThat(text).contains("no open device of this process has it", "EHOSTUNREACH")
                    .doesNotContain("ETIMEDOUT");
            }
        } finally {
            process.destroyForcibly();
        }
    }
}
