/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools;

import com.google.gson.JsonObject;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

class PingpongCommandTest {
    @ParameterizedTest
    @CsvSource({
        "fake:,     '',   2, 64,  RC",
        "fake:,     --ud, 2, 64,  UD",
        "fake:,     '',   1, 0,   RC",
        "emulated:, '',   2, 64,  RC",
        "emulated:, '',   1, 64,  RC",
        "emulated:, '',   2, 0,   RC",
        "emulated:, '',   1, 1,   RC",
        "emulated:, '',   2, 7,   RC",
        "emulated:, '',   2, 4097, RC",
        "emulated:, '',   2, 1m,  RC",
        "emulated:, --ud, 2, 64,  UD",
        "emulated:, --ud, 1, 0,   UD",
        "emulated:, --ud, 2, 1000, UD"
    })
    void everyMessageArrivesAndIsChecked(
        final String address, final String transport, final int threads, final String size, final String expected) {
        final List<String> args = new ArrayList<>(List.of("pingpong", "-d", address, "-n", "50", "-w", "3", "-s", size,
            "--threads", Integer.toString(threads), "--json"));
        if (!transport.isEmpty()) {
            args.add(transport);
        }
        final Cli.Outcome outcome = Cli.run(args.toArray(String[]::new));
        assertThat(outcome.exitCode()).as(outcome.err()).isZero();
        assertThat(outcome.err()).isEmpty();
        final JsonObject json = outcome.json();
        assertThat(json.get("transport").getAsString()).isEqualTo(expected);
        assertThat(json.get("iterations").getAsLong()).isEqualTo(50);
        assertThat(json.get("warmup_iterations").getAsLong()).isEqualTo(3);
        assertThat(json.get("threads").getAsInt()).isEqualTo(threads);
        assertThat(json.get("data_validated").getAsBoolean()).isTrue();
        assertThat(json.get("messages_validated").getAsLong()).isEqualTo(100);
    }

    @ParameterizedTest
    @CsvSource({
        "fake:?lacks=none, write, 2, 64", "fake:?lacks=none, write, 1, 8", "fake:?lacks=none, read, 1, 64",
        "fake:?lacks=none, cas, 1, 8", "fake:?lacks=none, faa, 1, 8",
        "emulated:, write, 2, 64", "emulated:, write, 1, 64", "emulated:, write, 2, 8", "emulated:, write, 2, 9",
        "emulated:, write, 1, 4099", "emulated:, write, 2, 1m", "emulated:, read, 1, 64", "emulated:, read, 1, 0",
        "emulated:, read, 1, 1", "emulated:, read, 1, 4099", "emulated:, read, 1, 1m", "emulated:, cas, 1, 8",
        "emulated:, faa, 1, 8"
    })
    void everyOperationIsCheckedToTheLastByte(
        final String address, final String operation, final int threads, final String size) {
        final Cli.Outcome outcome = Cli.run("pingpong", "-d", address, "-n", "60", "-w", "3", "-s", size, "--op",
            operation, "--threads", Integer.toString(threads), "--json");
        assertThat(outcome.exitCode()).as(outcome.err()).isZero();
        final JsonObject json = outcome.json();
        final boolean mutual = operation.equals("write");
        assertThat(json.get("op").getAsString()).isEqualTo(operation);
        assertThat(json.get("iterations").getAsLong()).isEqualTo(60);
        assertThat(json.get("threads").getAsInt()).isEqualTo(threads);
        assertThat(json.get("messages_validated").getAsLong()).isEqualTo(mutual ? 120 : 60);
        assertThat(json.get("xfer_is").getAsString()).isEqualTo(mutual ? "half a round trip" : "a whole operation");
    }

    @ParameterizedTest
    @CsvSource({
        "write, 64, 2, '2 threads', 'RC RDMA WRITE ping-pong', 'half a round trip', 'each byte of 40 messages'",
        "read,  64, 1, '1 thread',  'RC RDMA READ', 'one RDMA READ, there and back', 'each byte of 20 messages'",
        "cas,   8,  1, '1 thread',  'RC compare-and-swap', 'one compare-and-swap', 'value before of each of 20 op'",
        "faa,   8,  1, '1 thread',  'RC fetch-and-add', 'one fetch-and-add', 'the value before of each of 20 operat'"
    })
    void saysWhatATransferIsAndHasAThreadAndASizeThatFit(final String operation, final String size, final int threads,
        final String threadsText, final String title, final String transfer, final String validated) {
        final Cli.Outcome outcome = Cli.run("pingpong", "--op", operation, "-n", "20", "-w", "0");
        assertThat(outcome.exitCode()).as(outcome.err()).isZero();
        assertThat(outcome.outLines().get(0)).startsWith(title + ": emulated: QP 0x").endsWith(", " + threadsText);
        assertThat(outcome.out()).contains(transfer, validated);
        assertThat(outcome.outLines().get(3).trim()).startsWith(size + " ");
    }

    @ParameterizedTest
    @CsvSource({"write, RDMA WRITE", "read, RDMA READ", "cas, compare-and-swap", "faa, fetch-and-add"})
    void operationsThatTheDeviceLacksAreRefusedWithItsReason(final String operation, final String title) {
        final Cli.Outcome outcome = Cli.run("pingpong", "-d", "emulated:?quirks=qemu-7.2", "--op", operation);
        assertThat(outcome.exitCode()).isEqualTo(1);
        assertThat(outcome.out()).isEmpty();
        assertThat(outcome.errLines()).singleElement().asString().startsWith("rdma4j: ping-pong failed on 'emulated:")
            .contains("no " + title + ": ", "EOPNOTSUPP", "--op send", "devinfo -v");
    }

    @Test
    void theReasonIsTheDevices() {
        assertThat(Cli.run("pingpong", "-d", "fake:", "--op", "read").err()).contains("no RDMA READ: it cannot read");
    }

    @ParameterizedTest
    @CsvSource({
        "write, 7, 'QP 0x000012', 'way out of round trip 3: byte 0 of 64 is 0x'",
        "write, 8, 'QP 0x000011', 'way back of round trip 3: byte 0 of 64 is 0x'",
        "read,  7, 'QP 0x000011', 'READ of round trip 6: byte 0 of 64 is 0x'",
        "cas,   7, 'QP 0x000011', 'compare-and-swap of round trip 6: the value before is 0x'",
        "faa,   7, 'QP 0x000011', 'fetch-and-add of round trip 6: the value before is 0x'"
    })
    void wrongBytesAndValuesAreFound(
        final String operation, final int message, final String object, final String detail) {
        final Cli.Outcome outcome = Cli.run("pingpong", "-w", "0", "-n", "20", "--op", operation, "-d",
            "fake:?lacks=none&fault=corrupt&after=" + message);
        assertThat(outcome.exitCode()).isEqualTo(1);
        assertThat(outcome.errLines()).singleElement().asString()
            .startsWith("rdma4j: validate data failed").contains(object, detail, " instead of 0x");
    }

    @ParameterizedTest
    @CsvSource({
        "read, 'READ of round trip 6: byte '", "cas, 'round trip 6: the value before is 0x'",
        "faa, 'round trip 6: the value before is 0x'"
    })
    void resultsThatNeverCameAreNotTakenForTheOnesBefore(final String operation, final String detail) {
        final Cli.Outcome outcome = Cli.run("pingpong", "-w", "0", "-n", "20", "--op", operation, "-d",
            "fake:?lacks=none&fault=lost&after=7");
        assertThat(outcome.exitCode()).isEqualTo(1);
        assertThat(outcome.err()).contains("validate data failed", detail);
    }

    @Waiting
    @Test
    void aWriteThatNeverCameIsNamedByItsMark() {
        final Cli.Outcome outcome = Cli.run("pingpong", "-w", "0", "-n", "20", "--op", "write", "--timeout",
            Long.toString(Waiting.SECONDS), "-d", "fake:mark?lacks=none&fault=lost&after=5");
        assertThat(outcome.exitCode()).isEqualTo(1);
        assertThat(outcome.errLines().get(0)).contains("nothing came for " + Waiting.SECONDS + ".0 s in round trip 2",
            "QP 0x000012 waits for the mark 0x5 in its last 8 bytes, which are 0x3");
    }

    @ParameterizedTest
    @CsvSource({
        "--op write --ud, datagrams can only be sent", "--op faa --ud, datagrams can only be sent",
        "--op write -s 7, as many", "--op cas -s 64, atomics work on 8 bytes", "--op faa -s 0, atomics work on 8",
        "--op x, 'none of send, write, read, cas, faa'", "--op read --threads 2, one end does everything",
        "--op write --wait block, nobody is woken by a WRITE", "--ud -m 256, a datagram takes the port's"
    })
    void whatAnOperationCannotDoIsWrongUsage(final String line, final String why) {
        final Cli.Outcome outcome = Cli.run(("pingpong " + line).split(" "));
        assertThat(outcome.exitCode()).as(outcome.err()).isEqualTo(2);
        assertThat(outcome.err()).contains(why);
    }

    @ParameterizedTest
    @CsvSource({
        "fake:, spin, 2", "fake:, yield, 2", "fake:, block, 2", "fake:, spin, 1",
        "emulated:, spin, 2", "emulated:, yield, 2", "emulated:, block, 2", "emulated:, spin, 1",
        "emulated:?quirks=qemu-7.2, block, 2", "emulated:?vectors=0, block, 2"
    })
    void everyMessageArrivesHoweverOneWaits(final String address, final String wait, final int threads) {
        final Cli.Outcome outcome = Cli.run("pingpong", "-d", address, "-n", "60", "-w", "3", "--wait", wait,
            "--threads", Integer.toString(threads), "--json");
        assertThat(outcome.exitCode()).as(outcome.err()).isZero();
        assertThat(outcome.json().get("iterations").getAsLong()).isEqualTo(60);
        assertThat(outcome.json().get("wait").getAsString()).isEqualTo(wait);
    }

    @Test
    void saysHowItWaited() {
        final String[] spin = {"pingpong", "-d", "fake:", "-n", "9", "-w", "0", "--wait", "spin"};
        assertThat(Cli.run(spin).outLines().get(0)).endsWith("2 threads, spinning");
        final String[] block = {"pingpong", "-d", "fake:", "-n", "9", "-w", "0", "--wait", "block"};
        assertThat(Cli.run(block).outLines().get(0)).endsWith("2 threads, sleeping until an interrupt");
        final String[] alone = {"pingpong", "-d", "fake:", "--wait", "block", "--threads", "1"};
        assertThat(Cli.run(alone).err()).contains("cannot sleep for one of them");
        final String[] wrong = {"pingpong", "-d", "fake:", "--wait", "doze"};
        assertThat(Cli.run(wrong).err()).contains("'doze' is none of spin, yield, block");
    }

    @Test
    void numbersFitTogether() {
        final JsonObject json = Cli.run("pingpong", "-d", "fake:", "-D", "0.2", "-s", "1000", "--json").json();
        final JsonObject times = json.getAsJsonObject("usec_per_xfer");
        final double micros = json.get("seconds").getAsDouble() * 1e6;
        final double transfers = 2 * json.get("iterations").getAsDouble();
        assertThat(micros).isGreaterThanOrEqualTo(0.2e6);
        assertThat(times.get("mean").getAsDouble()).isCloseTo(micros / transfers, within(micros / transfers / 50));
        assertThat(json.get("mb_per_sec").getAsDouble())
            .isCloseTo(1000 * transfers / micros, within(20 * transfers / micros));
        assertThat(times.get("p50").getAsDouble()).isPositive()
            .isLessThanOrEqualTo(times.get("p99").getAsDouble());
        assertThat(times.get("p99").getAsDouble()).isLessThanOrEqualTo(times.get("p99_9").getAsDouble());
        assertThat(times.get("p99_9").getAsDouble()).isLessThanOrEqualTo(times.get("max").getAsDouble());
        assertThat(json.get("warmup_iterations").getAsLong()).isPositive();
    }

    @Test
    void tableHasItsNumbersUnderTheirHeaders() {
        final Cli.Outcome outcome = Cli.run("pingpong", "-d", "fake:", "--threads", "1", "-n", "1234", "-s", "1k");
        assertThat(outcome.exitCode()).isZero();
        final List<String> lines = outcome.outLines();
        final int header = lines.indexOf(lines.stream().filter(line -> line.contains("#bytes")).findFirst().get());
        final String names = lines.get(header);
        final String numbers = lines.get(header + 1);
        assertThat(names.trim().split(" +")).containsExactly("#bytes", "#iterations", "time[sec]", "MB/sec",
            "usec/xfer", "Mxfers/sec", "p50[usec]", "p99[usec]", "p99.9[usec]", "max[usec]");
        assertThat(numbers.trim().split(" +")).hasSize(10).startsWith("1024", "1234");
        assertThat(endsOfWords(numbers)).isEqualTo(endsOfWords(names));
        assertThat(outcome.out()).contains("half a round trip",
            "Data validated: yes, each byte of 2468 messages", "fake: QP 0x000011 <-> fake: QP 0x000012");
    }

    private static List<Integer> endsOfWords(final String line) {
        final List<Integer> ends = new ArrayList<>();
        for (int i = 1; i <= line.length(); i++) {
            if (line.charAt(i - 1) != ' ' && (i == line.length() || line.charAt(i) == ' ')) {
                ends.add(i);
            }
        }
        return ends;
    }

    @Test
    void withoutValidationSaysSo() {
        final String[] line = {"pingpong", "-d", "fake:?fault=corrupt&after=7", "-n", "10", "-w", "0", "--no-validate"};
        final Cli.Outcome outcome = Cli.run(line);
        assertThat(outcome.exitCode()).as(outcome.err()).isZero();
        assertThat(outcome.out()).contains("Data validated: no.");
    }

    @ParameterizedTest
    @CsvSource({
        "corrupt, 7, 'validate data failed', 'QP 0x000012', 'way out of round trip 3: byte 63 of 64 is 0x'",
        "corrupt, 8, 'validate data failed', 'QP 0x000011', 'way back of round trip 3: byte 63 of 64 is 0x'",
        "short,   7, 'validate data failed', 'QP 0x000012', '63 bytes arrived, 64 were sent'",
        "error,   7, 'send failed',    'QP 0x000011', 'wr_id 0x4000000000000003 has status RNR_RETRY_EXC_ERR, ve'",
        "error,   8, 'send failed',    'QP 0x000012', 'wr_id 0x4000000000000003 has status RNR_RETRY_EXC_ERR, ve'",
        "foreign, 7, 'poll failed',    'QP 0x000011', 'unexpected completion with wr_id 0xbad'",
        "dead,    7, 'poll failed',    'QP 0x0000',   'DEVICE_FAILED: somebody pulled the plug'",
        "full,    7, 'post send failed', 'QP 0x000011', 'returned QUEUE_FULL'",
        "full,    8, 'post send failed', 'QP 0x000012', 'returned QUEUE_FULL'",
        "bug,     7, 'internal error', 'a bug', '--debug prints the stack trace'",
        "bug,     8, 'internal error', 'a bug', '--debug prints the stack trace'"
    })
    void whatGoesWrongIsToldInOneLine(
        final String fault, final int message, final String operation, final String object, final String detail) {
        for (final String pace : List.of("--threads 1 --wait spin", "--threads 1", "--threads 2", "--wait block")) {
            final Cli.Outcome outcome = Cli.run(("pingpong -w 0 -n 20 -d fake:?fault=" + fault + "&after=" + message
                + " " + pace).split(" "));
            assertThat(outcome.exitCode()).isEqualTo(1);
            assertThat(outcome.out()).isEmpty();
            assertThat(outcome.errLines()).singleElement().asString()
                .startsWith("rdma4j: " + operation).contains(object, detail);
        }
    }

    @Waiting
    @ParameterizedTest
    @CsvSource({"1, yield", "2, spin", "2, yield", "2, block"})
    void lostMessageEndsAtTheDeadlineWithTheStateOfTheDevices(final String threads, final String wait) {
        final String name = threads + wait;
        final long began = System.nanoTime();
        final Cli.Outcome outcome = Cli.run("pingpong", "-d", "fake:a" + name + "?fault=lost&after=5",
            "-d", "fake:b" + name, "-w", "0", "-n", "20", "--timeout", Long.toString(Waiting.SECONDS),
            "--threads", threads, "--wait", wait);
        assertThat(System.nanoTime() - began).isGreaterThanOrEqualTo(TimeUnit.SECONDS.toNanos(Waiting.SECONDS));
        assertThat(outcome.exitCode()).isEqualTo(1);
        assertThat(outcome.errLines().get(0)).startsWith("rdma4j: ping-pong failed on 'fake:a" + name)
            .contains("nothing came for " + Waiting.SECONDS + ".0 s in round trip 4", "ETIMEDOUT",
                "RC QP 0x000011 waits for wr_id 0x0");
        assertThat(outcome.err()).contains("dump of fake:a" + name, "dump of fake:b" + name);
    }

    @Test
    void twoDevicesPlayEachOther() {
        for (final String scheme : List.of("fake:", "emulated:")) {
            final Cli.Outcome outcome = Cli.run(
                "pingpong", "-d", scheme + "left", "-d", scheme + "right", "-n", "20", "-w", "0");
            assertThat(outcome.exitCode()).as(outcome.err()).isZero();
            assertThat(outcome.outLines().get(0)).contains(scheme + "left QP", "<-> " + scheme + "right QP");
        }
    }

    @Test
    void theSameDeviceTwiceIsOneDevice() {
        assertThat(Cli.run("pingpong", "-d", "fake:", "-d", "fake:", "-n", "1", "-w", "0").exitCode()).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "-n 0", "-n -1", "-n x", "-n 1000000000001", "-n 99999999999999999999", "-s -1", "-s x", "-s 2g",
        "-s 99999999999", "-s 1.5", "-s 4kk", "-w -1", "-D 0", "-D -1", "-D x", "-D 3601", "-n 5 -D 5", "-m 1000",
        "-m x", "--threads 0", "--threads 3", "--wait x", "--wait block --threads 1", "--timeout 0", "--timeout x",
        "-d fake:a -d fake:b -d fake:c",
        "-d fake: -s 3m", "-d fake: --ud -s 1025", "-d emulated: --ud -s 8k"
    })
    void valuesOutOfRangeAreWrongUsage(final String line) {
        final Cli.Outcome outcome = Cli.run(("pingpong " + line).split(" "));
        assertThat(outcome.exitCode()).as(outcome.err()).isEqualTo(2);
        assertThat(outcome.out()).isEmpty();
        assertThat(outcome.err()).startsWith("rdma4j: ").endsWith(String.format("Try 'rdma4j pingpong --help'.%n"));
    }

    @ParameterizedTest
    @CsvSource({"0, 0", "64, 64", "4k, 4096", "4K, 4096", "4KiB, 4096", "64b, 64", "1M, 1048576"})
    void sizesHaveUnits(final String text, final int bytes) {
        final Cli.Outcome outcome = Cli.run("pingpong", "-d", "fake:", "-n", "1", "-w", "0", "--json", "-s", text);
        assertThat(outcome.json().get("bytes").getAsInt()).isEqualTo(bytes);
    }

    @Test
    void largestMessagesPassWhateverThePortClaims() {
        assertThat(Cli.run("pingpong", "-d", "fake:", "-n", "2", "-w", "0", "-s", "2m").exitCode()).isZero();
        assertThat(Cli.run("pingpong", "-d", "fake:", "-n", "2", "-w", "0", "-s", "1k", "--ud").exitCode()).isZero();
    }

    @Waiting
    @Test
    void progressIsShownOnTerminalsOnlyAndTakenAwayAgain() {
        final Cli.Outcome watched = Cli.runUntilShown("\r\u001b\\[K\\d+ round trips", "pingpong", "-d",
            "fake:watched", "-D", "SECONDS");
        assertThat(watched.exitCode()).isZero();
        assertThat(watched.err()).endsWith("\r\u001b[K");
        assertThat(watched.out()).doesNotContain("\u001b");
        assertThat(Cli.run("pingpong", "-d", "fake:watched", "-D", "0.6").err()).isEmpty();
    }

    /** A lost message makes the warm-up last. */
    @Waiting
    @Test
    void progressTellsTheWarmUpFromWhatIsMeasured() {
        final Cli.Outcome watched = Cli.runUntilShown("\r\u001b\\[Kwarming up: \\d+ round trips\r\u001b\\[K",
            "pingpong", "-d", "fake:warm?fault=lost&after=5", "-w", "20", "--timeout", "SECONDS");
        assertThat(watched.exitCode()).isEqualTo(1);
    }

    @ResourceLock(Waiting.THREADS)
    @Test
    void leavesNoThreadBehind() {
        Cli.run("pingpong", "-d", "fake:", "-n", "10");
        Cli.run("pingpong", "-d", "fake:?fault=error&after=7", "-w", "0");
        Cli.runOnTerminal("pingpong", "-d", "fake:", "-n", "10");
        assertThat(Thread.getAllStackTraces().keySet()).extracting(Thread::getName)
            .doesNotContain("rdma4j-responder", "rdma4j-progress");
    }
}
