/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.rdma4j.tools.perf.PerfFile;
import io.rdma4j.tools.perf.PerfRun;
import io.rdma4j.tools.traffic.LatencyRow;
import io.rdma4j.tools.traffic.PerfRow;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

class PerfCommandTest {
    private static final String LATENCY = " #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    "
        + "t_avg[usec]    t_stdev[usec]   99% percentile[usec]   99.9% percentile[usec] ";
    private static final String LATENCY_DURATION = " #bytes        #iterations       t_avg[usec]    tps average";
    private static final String BANDWIDTH =
        " #bytes     #iterations    BW peak[MiB/sec]    BW average[MiB/sec]   MsgRate[Mpps]";

    private static Cli.Outcome perf(final String line) {
        return Cli.run(("perf " + line).split(" +"));
    }

    private static Cli.Outcome good(final String line) {
        final Cli.Outcome outcome = perf(line);
        assertThat(outcome.exitCode()).as(line + ": " + outcome.err()).isZero();
        assertThat(outcome.err()).isEmpty();
        return outcome;
    }

    private static JsonObject row(final Cli.Outcome outcome) {
        return outcome.json().getAsJsonArray("rows").get(0).getAsJsonObject();
    }

    @ParameterizedTest
    @CsvSource({
        "send_lat, '', 2", "send_lat, --one-thread, 2", "send_lat, -s 0, 0", "send_lat, -s 4097 --one-thread, 4097",
        "write_lat, '', 2", "write_lat, -s 1 --one-thread, 1", "write_lat, -s 1m --one-thread, 1048576",
        "read_lat, '', 2", "read_lat, -s 0, 0", "atomic_lat, '', 8", "atomic_lat, -A CMP_AND_SWAP, 8",
        "send_lat, -I 64, 2", "write_lat, -I 64 -s 64, 64", "send_lat, -m 256 -s 1000, 1000",
        "send_lat, -r 1, 2", "send_lat, '-d emulated:?quirks=qemu-7.2', 2",
        "send_lat, '-d emulated:perf-a -d emulated:perf-b', 2"
    })
    void eachLatencyIsCountedOnce(final String test, final String options, final int bytes) {
        final Cli.Outcome outcome = good(test + " -n 300 --warmup 3 --json -c RC -i 1 " + options);
        final JsonObject json = outcome.json();
        assertThat(json.get("rdma4j_perf").getAsInt()).isEqualTo(1);
        assertThat(json.get("test").getAsString()).isEqualTo(test);
        assertThat(json.get("coordinated_omission").getAsString()).contains("closed loop", "no correction");
        final JsonObject row = row(outcome);
        assertThat(row.get("bytes").getAsInt()).isEqualTo(bytes);
        assertThat(row.get("iterations").getAsLong()).isEqualTo(300);
        final JsonArray points = row.getAsJsonArray("distribution");
        final JsonObject last = points.get(points.size() - 1).getAsJsonObject();
        assertThat(last.get("percentile").getAsDouble()).isEqualTo(100);
        assertThat(last.get("count").getAsLong()).isEqualTo(300);
        final JsonObject usec = row.getAsJsonObject("usec");
        double before = 0;
        for (final String name : List.of("min", "p50", "p90", "p99", "p99_9", "p99_99", "max")) {
            assertThat(usec.get(name).getAsDouble()).as(name).isGreaterThanOrEqualTo(before).isPositive();
            before = usec.get(name).getAsDouble();
        }
        final int divisor = json.get("time_is").getAsString().equals("half a round trip") ? 2 : 1;
        assertThat(divisor).isEqualTo(test.startsWith("send") || test.startsWith("write") ? 2 : 1);
        assertThat(usec.get("avg").getAsDouble() * 300 * divisor)
            .isCloseTo(row.get("seconds").getAsDouble() * 1e6, within(5.0));
    }

    @ParameterizedTest
    @CsvSource({
        "send_bw, '', 300, 65536", "send_bw, --one-thread, 300, 65536", "send_bw, -s 0, 300, 0",
        "send_bw, -q 3, 900, 65536", "send_bw, -q 3 --one-thread -Q 7 -t 9 -r 16 -l 4, 900, 65536",
        "send_bw, -t 1 -r 1, 300, 65536", "send_bw, -t 5 -Q 5 -l 5, 300, 65536", "send_bw, -r 3 -s 8, 300, 8",
        "write_bw, '', 300, 65536", "write_bw, -q 4 -s 8 -Q 1, 1200, 8", "write_bw, -s 64 -I 64, 300, 64",
        "read_bw, '', 300, 65536", "read_bw, -o 1 -s 8, 300, 8", "read_bw, -q 2, 600, 65536",
        "msg_rate, '', 300, 8", "msg_rate, -q 2 --one-thread, 600, 8", "msg_rate, -l 1 -Q 1 -t 1, 300, 8",
        "msg_rate, '-d emulated:?quirks=qemu-7.2', 300, 8"
    })
    void eachMessageIsCountedOnce(final String test, final String options, final long messages, final int bytes) {
        final JsonObject row = row(good(test + " -n 300 --warmup 3 --json " + options));
        assertThat(row.get("bytes").getAsInt()).isEqualTo(bytes);
        assertThat(row.get("iterations").getAsLong()).isEqualTo(messages);
        final double average = row.get("bw_average_mib_per_sec").getAsDouble();
        final double mpps = messages / row.get("seconds").getAsDouble() / 1e6;
        assertThat(row.get("msg_rate_mpps").getAsDouble()).isCloseTo(mpps, within(mpps / 10));
        assertThat(average).isCloseTo(mpps * 1e6 * bytes / (1 << 20), within(average / 10 + 0.01));
        assertThat(row.get("bw_peak_mib_per_sec").getAsDouble()).isGreaterThanOrEqualTo(average);
    }

    @ParameterizedTest
    @ValueSource(strings = {"send_lat", "write_lat", "read_lat", "atomic_lat", "send_bw", "write_bw", "read_bw",
        "msg_rate", "send_bw --one-thread", "msg_rate -q 3 -Q 50 -l 7 --one-thread", "send_bw -Q 100 -t 300 -r 20"})
    void aDurationEndsAndWhatWasPostedIsCounted(final String test) {
        final JsonObject row = row(good(test + " -D 0.1 --warmup 3 --json"));
        assertThat(row.get("iterations").getAsLong()).isPositive();
        assertThat(row.get("seconds").getAsDouble()).isGreaterThanOrEqualTo(0.1);
    }

    @Test
    void latencyHasTheColumnsOfPerftest() {
        final List<String> lines = good("read_lat -n 200 --warmup 0 -s 64").outLines();
        final int header = lines.indexOf(LATENCY);
        assertThat(header).as(String.join("\n", lines)).isPositive();
        assertThat(lines.get(header + 1).strip().split(" +")).hasSize(9).startsWith("64", "200");
        assertThat(lines.get(header + 1)).startsWith(" 64     200 ")
            .matches("( +[0-9]+)( +[0-9.]+\\.[0-9]{2}| +\\d+)+");
        assertThat(lines.get(1).strip()).isEqualTo("RDMA_Read Latency Test");
        assertThat(String.join("\n", lines)).contains("A time is a whole operation. Reading the clock takes ",
            "Coordinated omission: closed loop", "p99.99[usec]", "Processors: this process may run on ");
    }

    @Test
    void latencyOfADurationHasTheColumnsOfPerftest() {
        final List<String> lines = good("send_lat -D 0.05 --warmup 0 -F").outLines();
        final int header = lines.indexOf(LATENCY_DURATION);
        assertThat(header).as(String.join("\n", lines)).isPositive();
        assertThat(lines.get(header + 1)).matches(" 2 +\\d+ +\\d+\\.\\d{2} +\\d+\\.\\d{2}");
        assertThat(String.join("\n", lines)).doesNotContain("Processors:").contains("half a round trip");
    }

    @Test
    void bandwidthHasTheColumnsOfPerftest() {
        final List<String> lines = good("write_bw -n 200 --warmup 0 -s 4k").outLines();
        final int header = lines.indexOf(BANDWIDTH);
        assertThat(header).as(String.join("\n", lines)).isPositive();
        assertThat(lines.get(header + 1))
            .matches(" 4096       200            \\d+\\.\\d{2} +\\d+\\.\\d{2} +\\d+\\.\\d{6}");
        assertThat(lines.get(1).strip()).isEqualTo("RDMA_Write BW Test");
    }

    @Test
    void allSizesArePowersOfTwoAsFarAsTheDeviceGoes() {
        final List<Integer> sizes = new ArrayList<>();
        for (final JsonElement row : good("read_bw -a -n 2 -t 2 --warmup 0 --json").json().getAsJsonArray("rows")) {
            sizes.add(row.getAsJsonObject().get("bytes").getAsInt());
        }
        assertThat(sizes).hasSize(23).startsWith(2, 4, 8).endsWith(1 << 22, 1 << 23);
        final JsonArray fewer = good("read_lat -a -n 2 --warmup 0 --json -d fake:?lacks=none").json()
            .getAsJsonArray("rows");
        assertThat(fewer).hasSize(20);
        assertThat(fewer.get(19).getAsJsonObject().get("bytes").getAsInt()).isEqualTo(1 << 20);
    }

    @ParameterizedTest
    @ValueSource(strings = {"-U", "-H", "--report-histogram", "--report_histogram", "--report-unsorted"})
    void singleTimesAreListed(final String option) {
        final List<String> lines = good("atomic_lat -n 50 --warmup 0 " + option).outLines();
        assertThat(lines.get(0)).isEqualTo("#, usec");
        final double[] times = new double[50];
        for (int i = 0; i < times.length; i++) {
            final String[] cells = lines.get(1 + i).split(", ");
            assertThat(cells[0]).isEqualTo(Integer.toString(i + 1));
            times[i] = Double.parseDouble(cells[1]);
        }
        assertThat(lines).contains(LATENCY);
        final double[] sorted = times.clone();
        Arrays.sort(sorted);
        if (!option.contains("U") && !option.contains("unsorted")) {
            assertThat(times).containsExactly(sorted);
        }
    }

    @Test
    void yardsticksAreMeasuredBeforeAndAfter() {
        final Cli.Outcome outcome = good("send_lat -n 100 --warmup 0 --compare --json");
        final PerfRun run = PerfFile.fromJson(outcome.json());
        assertThat(run.yardsticks()).extracting(yardstick -> yardstick.name())
            .containsExactly("cache_line", "agrona_ring", "tcp");
        assertThat(run.yardsticks()).allSatisfy(yardstick -> {
            assertThat(yardstick.before().count()).isPositive();
            assertThat(yardstick.after().count()).isPositive();
            assertThat(yardstick.before().p50()).isPositive().isLessThanOrEqualTo(yardstick.before().p99());
            assertThat(yardstick.after().p99()).isLessThanOrEqualTo(yardstick.after().p999());
        });
        final String text = good("read_bw -n 100 --warmup 0 --compare").out();
        assertThat(text).contains("Yardsticks of the same run", "cache line bounced (F)", "test / yardstick");
        assertThat(Thread.getAllStackTraces().keySet()).extracting(Thread::getName).doesNotContain("rdma4j-yardstick");
    }

    @Test
    void aRunIsKeptAndReadAgain(@TempDir final Path folder) {
        final Path file = folder.resolve("run.json");
        final Cli.Outcome outcome = good("write_lat -s 64 -n 500 --warmup 0 --json --save " + file);
        final PerfRun kept = PerfFile.read(file);
        assertThat(kept).isEqualTo(PerfFile.fromJson(outcome.json()));
        assertThat(kept.about().options()).isEqualTo("-s 64 -n 500");
        assertThat(kept.about().device()).isEqualTo("emulated:");
        assertThat(kept.about().place().timerNanos()).isPositive();
        final PerfRow row = kept.rows().get(0);
        assertThat(row).isInstanceOf(LatencyRow.class);
        assertThat(row.iterations()).isEqualTo(500);
        assertThat(PerfFile.toJson(kept)).isEqualTo(outcome.json());
    }

    @Test
    void aRunIsDrawnBesideAnother(@TempDir final Path folder) throws IOException {
        final Path saved = folder.resolve("saved.json");
        final Path page = folder.resolve("page.html");
        good("send_lat -n 50 --warmup 0 --save " + saved);
        good("read_lat -n 50 --warmup 0 --plot " + page + " --beside " + saved);
        assertThat(Files.readString(page)).startsWith("<!DOCTYPE html>").contains("send_lat", "read_lat");
        Files.writeString(saved, "{}");
        final Cli.Outcome foreign = perf("read_lat -n 50 --plot " + page + " --beside " + saved);
        assertThat(foreign.exitCode()).isEqualTo(1);
        assertThat(foreign.errLines()).singleElement().asString().contains("saved.json", "no run of rdma4j perf");
    }

    @Test
    void aFileThatCannotBeWrittenTakesNeitherFiguresNorOtherFilesAway(@TempDir final Path folder) throws IOException {
        final Path page = folder.resolve("page.html");
        final Cli.Outcome outcome = perf("send_lat -n 50 --warmup 0 --json --save /dev/full --plot " + page);
        assertThat(outcome.exitCode()).isEqualTo(1);
        assertThat(outcome.errLines()).singleElement().asString().contains("save run failed", "No space left");
        assertThat(row(outcome).get("iterations").getAsLong()).isEqualTo(50);
        assertThat(Files.readString(page)).contains("send_lat");
        final Cli.Outcome table = perf("send_lat -n 50 --warmup 0 --plot /dev/full");
        assertThat(table.exitCode()).isEqualTo(1);
        assertThat(table.outLines()).contains(LATENCY);
    }

    @ParameterizedTest
    @CsvSource({"write_lat, RDMA WRITE", "write_bw, RDMA WRITE", "read_lat, RDMA READ", "read_bw, RDMA READ",
        "atomic_lat, atomic"})
    void testsThatTheDeviceLacksAreRefusedWithItsReason(final String test, final String title) {
        final Cli.Outcome outcome = perf(test + " -d emulated:?quirks=qemu-7.2");
        assertThat(outcome.exitCode()).isEqualTo(1);
        assertThat(outcome.out()).isEmpty();
        assertThat(outcome.errLines()).singleElement().asString().startsWith("rdma4j: perf failed on 'emulated:")
            .contains("no " + title + ": ", "EOPNOTSUPP", "send_lat");
        assertThat(perf("read_lat -d fake:").err()).contains("no RDMA READ: it cannot read");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "                          | Missing required parameter: 'TEST'",
        "send                      | is none of send_lat, send_bw",
        "send_lat -n 0             | is not a number from 1",
        "send_lat -n 5 -D 1        | mutually exclusive",
        "send_lat -s 5 -a          | mutually exclusive",
        "send_lat -H -U            | mutually exclusive",
        "send_lat -q 2             | a latency test has one QP",
        "send_lat -Q 2             | each message makes a completion",
        "send_lat -t 2             | one message is under way",
        "read_lat -l 2             | one message is under way",
        "send_bw -q 0              | '0' is not a number from 1 to 65536",
        "send_bw -q x              | 'x' is not a number",
        "send_bw -t 65537          | is not a number from 1 to 65536",
        "send_bw -H                | no single times",
        "send_lat -U -D 1          | it needs a number of iterations",
        "send_lat -U -n 10000001   | keep at most 10000000 times",
        "send_lat -U --json        | print lists, not JSON",
        "send_lat -c UD            | 'UD' is not offered, RC is",
        "send_lat -i 2             | '2' is not port 1",
        "send_lat -m 1000          | none of 256",
        "send_lat -o 2             | it is for READs and atomics",
        "write_bw -r 2             | only SENDs need receives",
        "read_bw -I 8              | only SENDs and WRITEs carry data",
        "write_bw -I 8k            | at most 4096",
        "send_lat -A CMP_AND_SWAP  | it is for atomic_lat",
        "atomic_lat -A XOR         | neither FETCH_AND_ADD nor CMP_AND_SWAP",
        "atomic_lat -s 64          | atomics work on 8 bytes",
        "atomic_lat -a             | atomics work on 8 bytes",
        "write_lat -s 0            | has at least one",
        "send_lat -p 5             | needs '--server' or HOST",
        "send_lat host:7 -p 5      | exclude each other",
        "send_lat --server=:7 -p 5 | exclude each other",
        "send_lat --connect h:7 -p 5 | exclude each other",
        "read_bw -o 17             | on emulated: it is at most 16, not 17",
        "read_bw -o 129            | on emulated: it is at most 16, not 129",
        "send_bw -m 4096 -d emulated:m?mtu=1024 | on emulated:m?mtu=1024 it is at most 1024, not 4096",
        "send_bw --server=:0 --peer perftest --save x | the server measures nothing",
        "send_lat host --one-thread | both ends in this process",
        "send_lat host --server=:0 | exclude each other",
        "send_lat --server=:0 -U   | the server measures nothing",
        "send_lat --server=:0 --save x | the server measures nothing",
        "send_lat host -d emulated:a -d emulated:b | at most once",
        "send_lat -d a: -d b: -d c: | at most twice",
        "send_lat --beside x        | needs '--plot'",
        "send_lat -d fake: -s 3m   | has at most 1048576 bytes, not 3145728",
        "send_lat -C               | Unknown option"
    })
    void wrongUsage(final String line, final String message) {
        final Cli.Outcome outcome = line == null ? Cli.run("perf") : perf(line.strip());
        assertThat(outcome.exitCode()).as(outcome.err()).isEqualTo(2);
        assertThat(outcome.out()).isEmpty();
        assertThat(outcome.err()).startsWith("rdma4j: ").contains(message, "Try 'rdma4j perf --help'.");
    }

    /** Standard output may be where the page goes. */
    @Test
    void plotSaysWhereThePageIsOnStandardError(@TempDir final Path folder) throws IOException {
        final Path samples = Files.writeString(folder.resolve("a.tsv"), "t\tv\n1\t2\n");
        final Path page = folder.resolve("page.html");
        final Cli.Outcome outcome = Cli.run("plot", "-o", page.toString(), samples.toString());
        assertThat(outcome.exitCode()).as(outcome.err()).isZero();
        assertThat(outcome.out()).isEmpty();
        assertThat(outcome.errLines()).containsExactly("rdma4j: wrote " + page.toUri());
    }

    @Test
    void depthsThatTheDeviceDoesNotHaveAreItsOwnError() {
        final Cli.Outcome outcome = perf("send_bw -t 65536 -q 64 -n 1");
        assertThat(outcome.exitCode()).isEqualTo(1);
        assertThat(outcome.errLines()).singleElement().asString().startsWith("rdma4j: create CQ failed");
    }

    @Waiting
    @ParameterizedTest
    @ValueSource(strings = {"", "--one-thread"})
    void aLostMessageEndsAtTheDeadlineWithTheStateOfTheDevices(final String threads) {
        final long began = System.nanoTime();
        final String name = threads.isEmpty() ? "-two-threads" : "-one-thread";
        final Cli.Outcome outcome = perf("send_lat -d fake:a" + name + "?fault=lost&qp=1&after=4 -d fake:b" + name
            + " --warmup 0 --timeout " + Waiting.SECONDS + " " + threads);
        assertThat(System.nanoTime() - began).isGreaterThanOrEqualTo(TimeUnit.SECONDS.toNanos(Waiting.SECONDS));
        assertThat(outcome.exitCode()).isEqualTo(1);
        assertThat(outcome.errLines().get(0)).startsWith("rdma4j: perf failed on 'fake:a" + name)
            .contains("nothing came for " + Waiting.SECONDS + ".0 s",
                "client QP 0x000011 (4 posted, 4 completed, 3 received)", "server QP 0x000011 (3 posted, ",
                "ETIMEDOUT");
        assertThat(outcome.err()).contains("dump of fake:a" + name, "dump of fake:b" + name);
    }

    @ParameterizedTest
    @CsvSource({
        "error,   send_lat, 'send_lat failed', 'RNR_RETRY_EXC_ERR'",
        "foreign, send_lat, 'send_lat failed', 'wr_id 0xbad has status SUCCESS'",
        "short,   send_lat, 'send_lat failed', '1 bytes instead of 2 arrived'",
        "full,    send_lat, '', ''",
        "dead,    send_lat, 'poll failed', 'DEVICE_FAILED: somebody pulled the plug'",
        "bug,     send_lat, 'internal error', '--debug prints the stack trace'",
        "error,   read_lat, 'read_lat failed', 'RNR_RETRY_EXC_ERR'"
    })
    void whatGoesWrongIsToldInOneLine(
        final String fault, final String test, final String operation, final String detail) {
        for (final String threads : List.of("", " --one-thread")) {
            final Cli.Outcome outcome = perf(test + " -n 20 --warmup 0 --timeout 50 -d fake:?lacks=none&fault=" + fault
                + "&qp=1&after=6" + threads);
            if (fault.equals("full")) {
                assertThat(outcome.exitCode()).as("a full queue is tried again: " + outcome.err()).isZero();
                continue;
            }
            assertThat(outcome.exitCode()).isEqualTo(1);
            assertThat(outcome.out()).isEmpty();
            assertThat(outcome.errLines()).singleElement().asString()
                .startsWith("rdma4j: " + operation).contains(detail);
        }
    }

    @Test
    void anInterruptEndsItWithTheStateOfTheDevice() {
        Thread.currentThread().interrupt();
        final Cli.Outcome outcome =
            perf("send_lat -d fake:a?fault=lost&qp=1&after=4 -d fake:b --warmup 0 --timeout 50");
        assertThat(Thread.interrupted()).isTrue();
        assertThat(outcome.exitCode()).isEqualTo(1);
        assertThat(outcome.errLines().get(0)).contains("interrupted; client QP 0x", "EINTR");
        assertThat(outcome.err()).contains("dump of fake:a", "dump of fake:b");
    }

    @Waiting
    @Test
    void progressIsShownOnTerminalsOnlyAndTakenAwayAgain() {
        final Cli.Outcome watched = Cli.runUntilShown("\r\u001b\\[K2 bytes: \\d+", "perf", "read_lat", "-d",
            "emulated:watched", "-D", "SECONDS");
        assertThat(watched.exitCode()).isZero();
        assertThat(watched.err()).endsWith("\r\u001b[K");
        assertThat(watched.out()).doesNotContain("\u001b");
    }

    /** A lost message makes the warm-up last. */
    @Waiting
    @Test
    void progressTellsTheWarmUpFromWhatIsMeasured() {
        final Cli.Outcome watched = Cli.runUntilShown("\r\u001b\\[Kwarming up with 2 bytes: \\d+\r\u001b\\[K",
            "perf", "send_lat", "-d", "fake:c?fault=lost&qp=1&after=4", "-d", "fake:d", "--warmup", "20",
            "--timeout", "SECONDS");
        assertThat(watched.exitCode()).isEqualTo(1);
    }

    @ResourceLock(Waiting.THREADS)
    @Test
    void leavesNoThreadBehind() {
        good("send_lat -n 10 --warmup 0");
        perf("send_lat -d fake:?fault=error&qp=1&after=6 --warmup 0");
        assertThat(Thread.getAllStackTraces().keySet()).extracting(Thread::getName)
            .doesNotContain("rdma4j-perf-server", "rdma4j-progress");
    }
}
