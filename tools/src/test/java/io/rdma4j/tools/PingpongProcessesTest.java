/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.rdma4j.testing.OtherJvm;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;

/** Both ends as two command lines, over loopback TCP: in this JVM, where devices reach each other, and in two. */
@Tag("thorough")
class PingpongProcessesTest {
    private static final long DEADLINE_SECONDS = 60;

    private static Listening listen(final String line) {
        return new Listening("pingpong " + line);
    }

    private static Cli.Outcome connect(final Listening to, final String line) throws Exception {
        return Cli.run(("pingpong --connect " + to.address() + " " + line).split(" "));
    }

    @ParameterizedTest
    @CsvSource({
        "--op send, 106", "--op send --ud, 106", "--op send -s 0, 106", "--op send --wait block, 106",
        "--op write, 106", "--op write -s 4099, 106", "--op send --no-validate, 0",
        "--op read,", "--op read -s 1m --wait spin,", "--op cas,", "--op faa --wait block,"
    })
    void twoEndsPlayEachOperation(final String game, final Long validated) throws Exception {
        final Listening listening = listen("-d emulated:there --listen=:0 --json " + game);
        final Cli.Outcome near = connect(listening, "-d emulated:here -n 100 -w 6 --json " + game);
        final Cli.Outcome far = listening.outcome();
        assertThat(near.exitCode()).as(near.err() + far.err()).isZero();
        assertThat(far.exitCode()).as(far.err()).isZero();
        assertThat(near.err() + far.err()).isEmpty();
        final JsonObject measured = near.json();
        final JsonObject answered = far.json();
        assertThat(measured.get("iterations").getAsInt()).isEqualTo(100);
        assertThat(measured.get("threads").getAsInt()).isEqualTo(1);
        assertThat(measured.get("peer").getAsString()).isEqualTo(listening.address());
        assertThat(answered.get("op")).isEqualTo(measured.get("op"));
        assertThat(answered.get("qp")).isEqualTo(measured.get("peer_qp"));
        assertThat(answered.get("peer_qp")).isEqualTo(measured.get("qp"));
        assertThat(answered.get("messages_validated")).isEqualTo(
            validated == null ? null : JsonParser.parseString(Long.toString(validated)));
    }

    @Test
    void theOtherEndIsNamedAsByPerftest() throws Exception {
        final Listening listening = listen("-d emulated:there --server=0 --json");
        final Cli.Outcome near =
            Cli.run("pingpong", "-d", "emulated:here", "-n", "20", "-w", "0", "--json", listening.address());
        assertThat(near.exitCode()).as(near.err() + listening.outcome().err()).isZero();
        assertThat(near.json().get("peer").getAsString()).isEqualTo(listening.address());
        assertThat(listening.outcome().json().get("messages").getAsInt()).isEqualTo(20);
    }

    @Test
    void bothSayWhomTheyPlayedWith() throws Exception {
        final Listening listening = listen("-d emulated:there --listen=127.0.0.1:0");
        final Cli.Outcome near = connect(listening, "-d emulated:here -n 20 -w 0");
        final List<String> far = listening.outcome().outLines();
        assertThat(near.outLines().get(0)).startsWith("RC ping-pong: emulated:here QP 0x")
            .contains("<-> " + listening.address() + " QP 0x").endsWith(", 1 thread");
        assertThat(far.get(0)).startsWith("RC ping-pong: emulated:there QP 0x").contains(" <-> 127.0.0.1:");
        assertThat(far.get(1)).startsWith("20 messages came, each byte of them was checked.");
        final Listening lending = listen("-d emulated:there --op read --listen=:0");
        connect(lending, "-d emulated:here -n 20 -w 0 --op read");
        assertThat(lending.outcome().outLines().get(1)).startsWith("This end lent its memory");
    }

    /** For READs the other end hears nothing in between: who waits longer, too, has to tell it that all is well. */
    @Waiting
    @ParameterizedTest
    @ValueSource(ints = {5, 60})
    void theEndThatLendsItsMemoryWaitsAsLongAsTheOtherIsThere(final int timeout) throws Exception {
        final Listening listening =
            listen("-d emulated:lender-" + timeout + " --op read --timeout 5 --listen=:0");
        final Cli.Outcome near = connect(listening,
            "-d emulated:borrower-" + timeout + " --op read --timeout " + timeout + " -w 0 -D 6");
        assertThat(near.exitCode()).as(near.err()).isZero();
        assertThat(listening.outcome()).isEqualTo(new Cli.Outcome(0, listening.outcome().out(), ""));
    }

    @ParameterizedTest
    @CsvSource({
        "--op send, --op write", "--op read, --op cas -s 8", "-s 64, -s 65", "--validate, --no-validate",
        "--op cas, --op faa"
    })
    void differentGamesAreRefusedOnBothSides(final String there, final String here) throws Exception {
        final Listening listening = listen("-d emulated:there --listen=:0 " + there);
        final Cli.Outcome near = connect(listening, "-d emulated:here " + here);
        final Cli.Outcome far = listening.outcome();
        for (final Cli.Outcome outcome : List.of(near, far)) {
            assertThat(outcome.exitCode()).as(outcome.err()).isEqualTo(1);
            assertThat(outcome.out()).isEmpty();
            assertThat(outcome.errLines()).singleElement().asString().contains("this side plays --op ", "EINVAL");
        }
    }

    @Waiting
    @Test
    void rcAndUdDoNotPlayEachOther() throws Exception {
        final Listening listening = listen("-d emulated:datagrams --ud --timeout 10 --listen=:0");
        final Cli.Outcome near = connect(listening, "-d emulated:connected");
        assertThat(near.exitCode()).isEqualTo(1);
        assertThat(near.err()).contains("its QP is RC, the own one is UD");
        assertThat(listening.outcome().exitCode()).isEqualTo(1);
        assertThat(listening.outcome().err()).contains("ETIMEDOUT", "no suitable peer came in time");
    }

    @Test
    void nobodyThereIsAnError() {
        final Cli.Outcome refused = Cli.run("pingpong", "--connect", "127.0.0.1:1");
        assertThat(refused.exitCode()).isEqualTo(1);
        assertThat(refused.errLines()).singleElement().asString().contains("connect QP over TCP", "127.0.0.1:1");
        final Cli.Outcome alone = Cli.run("pingpong", "--listen=:0", "--timeout", "0.2");
        assertThat(alone.exitCode()).isEqualTo(1);
        assertThat(alone.err()).contains(Listening.WORDS + "127.0.0.1:", "no peer came in time", "ETIMEDOUT");
    }

    @Waiting
    @Test
    void aPeerThatEndsInTheMiddleIsNoticed() throws Exception {
        final Listening listening = listen("-d fake:there -w 0 --timeout 10 --listen=:0");
        final Cli.Outcome near = connect(listening, "-d fake:here?fault=full&after=7 -w 0 -n 20");
        assertThat(near.exitCode()).isEqualTo(1);
        assertThat(near.err()).contains("post send failed", "QUEUE_FULL");
        final Cli.Outcome far = listening.outcome();
        assertThat(far.exitCode()).isEqualTo(1);
        assertThat(far.errLines().get(0)).contains("nothing came from 127.0.0.1:", "for 10.0 s", "waits for wr_id 0x0");
        assertThat(far.err()).contains("the other process ended", "dump of fake:there");
    }

    @Test
    void devicesWithoutAWireSayAtOnceThatTheyDoNotReachEachOther() throws Exception {
        final Listening listening = listen("-d emulated:there?wire=none --timeout 50 --listen=:0");
        final Process process = new ProcessBuilder(OtherJvm.command(List.of(), Main.class, "pingpong",
            "-d", "emulated:?wire=none", "--timeout", "50", "--connect", listening.address()))
                .redirectErrorStream(true).start();
        final String near = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(DEADLINE_SECONDS, TimeUnit.SECONDS)).as(near).isTrue();
        assertThat(process.exitValue()).as(near).isEqualTo(1);
        final Cli.Outcome far = listening.outcome();
        assertThat(far.exitCode()).isEqualTo(1);
        for (final String text : List.of(near, far.err())) {
            assertThat(text).contains("no open device of this process has it", "EHOSTUNREACH")
                .doesNotContain("ETIMEDOUT");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "--listen=:0 --connect=localhost, mutually exclusive", "--connect=a:b:c, is not HOST:PORT",
        "--connect=host:99999, 'is not a TCP port'", "--listen=:x, is not HOST:PORT",
        "--listen -d emulated:a -d emulated:b, at most once", "--connect=localhost --threads 2, in another process"
    })
    void wrongPlacesAreWrongUsage(final String line, final String why) {
        final Cli.Outcome outcome = Cli.run(("pingpong " + line).split(" "));
        assertThat(outcome.exitCode()).as(outcome.err()).isEqualTo(2);
        assertThat(outcome.err()).contains(why);
    }
}
