/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.rdma4j.driver.libc.Libc;
import io.rdma4j.driver.state.StateFolder;
import io.rdma4j.testing.OtherJvm;
import io.rdma4j.testing.Patience;
import io.rdma4j.tools.host.Machine;
import io.rdma4j.tools.text.Terminal;
import io.rdma4j.verbs.QpAttributes;
import io.rdma4j.verbs.QpConnector;
import io.rdma4j.verbs.QpOptions;
import io.rdma4j.verbs.QpState;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.RdmaContext;
import io.rdma4j.verbs.RdmaDevices;
import io.rdma4j.verbs.ReceiveRequest;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.WcStatus;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

/** {@code rdma4j stat}, of devices in this process and of others that come and go. */
@Tag("thorough")
class StatCommandTest {
    private static final long PID = ProcessHandle.current().pid();
    /** In the head of a live file: its version, with the status behind it, and when its process began. */
    private static final int VERSION = 8;
    private static final int PROCESS_START = 24;
    /** There as well: the container of its process. */
    private static final int NAMESPACE = 32;
    /** With the right to read a class path in a folder of root's. */
    private static final List<String> AS_NOBODY = List.of("/usr/bin/setpriv", "--reuid=65534", "--regid=65534",
        "--clear-groups", "--inh-caps=-all,+dac_read_search", "--ambient-caps=-all,+dac_read_search",
        "--bounding-set=-all,+dac_read_search");
    private static final String ESCAPE = "\u001b";
    private static final long DEADLINE_SECONDS = 50;
    /** Equal readings that tell a writer that cannot go on from one that got no processor. */
    private static final int READINGS = 4;

    @TempDir
    private Path folder;

    private static Cli.Outcome stat(final RdmaContext context, final String more) {
        return Cli.run(("stat --pid " + PID + " -d " + context.address() + " " + more).split(" "));
    }

    @Test
    void looksOnce() {
        try (RdmaContext context = RdmaDevices.open("emulated:stat-once")) {
            final Cli.Outcome outcome = stat(context, "--once");
            assertThat(outcome.exitCode()).as(outcome.err()).isZero();
            assertThat(outcome.err()).isEmpty();
            assertThat(outcome.out()).contains("process " + PID + "  emulated:stat-once").doesNotContain(ESCAPE)
                .containsPattern("posted sends +0 +-\n").containsPattern("commands +[1-9][0-9]* +-\n");
        }
    }

    @Test
    void aLineOfJsonForEachLook() {
        try (RdmaContext context = RdmaDevices.open("emulated:stat-json")) {
            final Cli.Outcome outcome = stat(context, "--json -v --count 3 --interval 0.02");
            assertThat(outcome.exitCode()).as(outcome.err()).isZero();
            final List<JsonObject> lines = outcome.outLines().stream()
                .map(line -> JsonParser.parseString(line).getAsJsonObject()).toList();
            assertThat(lines).hasSize(3).allMatch(line -> line.get("rdma4j_stat").getAsInt() == 1);
            final JsonObject first = lines.get(0).getAsJsonArray("devices").get(0).getAsJsonObject();
            final JsonObject last = lines.get(2).getAsJsonArray("devices").get(0).getAsJsonObject();
            assertThat(first.get("pid").getAsLong()).isEqualTo(PID);
            assertThat(first.get("per_second").isJsonNull()).isTrue();
            assertThat(first.getAsJsonObject("totals").get("commands").getAsLong())
                .isEqualTo(context.counters().get("commands"));
            assertThat(first.getAsJsonObject("gauges").get("reachable_bytes").getAsLong())
                .isEqualTo(context.reachableBytes()).isPositive();
            assertThat(last.get("seconds").getAsDouble()).isPositive();
            assertThat(last.getAsJsonObject("per_second").getAsJsonObject("totals").get("commands").getAsDouble())
                .isZero();
        }
    }

    /** A reset goes on with other numbers, which dumps show and need; they are no requests. */
    @Test
    void aResetPostsNothing() {
        try (RdmaContext context = RdmaDevices.open("emulated:stat-reset")) {
            final QueuePair qp = context.allocatePd().createQp(new QpOptions().cq(context.createCq(256))
                .maxSendWr(128).maxReceiveWr(128));
            exchange(qp, 3);
            qp.modify(QpAttributes.to(QpState.RESET));
            exchange(qp, 1);
            final JsonObject device = JsonParser.parseString(stat(context, "--json -v --once").out()).getAsJsonObject()
                .getAsJsonArray("devices").get(0).getAsJsonObject();
            for (final String metric : List.of("posted_sends", "posted_receives")) {
                assertThat(device.getAsJsonObject("totals").get(metric).getAsLong()).as(metric).isEqualTo(4);
            }
            assertThat(stat(context, "--prometheus").out())
                .containsPattern("\nrdma4j_posted_sends_total\\{[^}]*stat-reset[^}]*} 4\n");
            final Cli.Outcome dump = Cli.run("qp", "--json", "--pid", "" + PID, "-d", context.address());
            final JsonObject sq = dump.json().getAsJsonObject("sections").getAsJsonObject("qp").getAsJsonArray("qps")
                .get(0).getAsJsonObject().getAsJsonObject("sq");
            assertThat(sq.has("notes")).as("what is in doubt: %s", sq).isFalse();
            assertThat(sq.getAsJsonObject("counters")).hasToString(
                "{\"posted\":257,\"doorbells\":4,\"full\":0,\"retired\":257,\"skipped\":253}");
        }
    }

    /** Messages without bytes that a QP sends to itself. */
    private static void exchange(final QueuePair qp, final int count) {
        QpConnector.connect(qp, qp.localAddress());
        for (int i = 0; i < count; i++) {
            assertThat(qp.postReceive(new ReceiveRequest().wrId(i))).isZero();
            assertThat(qp.postSend(new SendRequest().wrId(i))).isZero();
        }
        final long start = System.nanoTime();
        int polled = 0;
        while (polled < 2 * count) {
            polled += qp.sendCq().poll(completion ->
                assertThat(completion.status()).isEqualTo(WcStatus.SUCCESS), 2 * count - polled);
            assertThat(System.nanoTime() - start).as("%d polled", polled).isLessThan(Patience.nanos());
        }
    }

    /** As the page "Exposition formats" of Prometheus' documentation has it. */
    @Test
    void prometheusReadsIt() {
        final Pattern sample = Pattern.compile(
            "([a-z_:][a-z0-9_:]*)\\{([a-z]+=\"(?:[^\"\\\\]|\\\\[\\\\\"n])*\",?)+} -?\\d+");
        try (RdmaContext context = RdmaDevices.open("emulated:stat-prometheus")) {
            context.createCq(64);
            final Cli.Outcome outcome = stat(context, "--prometheus");
            assertThat(outcome.exitCode()).as(outcome.err()).isZero();
            assertThat(outcome.out()).endsWith("\n").doesNotContain("\r");
            final Set<String> seen = new HashSet<>();
            String family = "";
            for (final String line : outcome.outLines()) {
                assertThat(seen.add(line)).as("twice: %s", line).isTrue();
                if (line.startsWith("# HELP ")) {
                    family = line.split(" ")[2];
                    assertThat(seen.add(family)).as("one family: %s", family).isTrue();
                } else if (line.startsWith("# TYPE ")) {
                    final String type = family.endsWith("_total") ? "counter" : "gauge";
                    assertThat(line).isEqualTo("# TYPE " + family + " " + type);
                } else {
                    final Matcher matcher = sample.matcher(line);
                    assertThat(matcher.matches()).as(line).isTrue();
                    assertThat(matcher.group(1)).isEqualTo(family);
                    assertThat(seen.add(line.substring(0, line.lastIndexOf(' ')))).as("labels: %s", line).isTrue();
                }
            }
            assertThat(seen).contains("rdma4j_commands_total", "rdma4j_completions_total", "rdma4j_empty_polls_total");
        }
    }

    @Test
    void repaintsOnATerminalOnly() {
        try (RdmaContext context = RdmaDevices.open("emulated:stat-terminal")) {
            final String[] twice = {"stat", "--pid", "" + PID, "-d", context.address(), "--count", "2", "--interval",
                "0.01"};
            assertThat(Cli.runOnTerminal(twice).out().split(ESCAPE + "\\[H", -1)).hasSize(3);
            assertThat(Cli.run(twice).out()).doesNotContain(ESCAPE).containsPattern("(?s)commands .*commands ");
            assertThat(stat(context, "--json --count 2 --interval 0.01").out()).doesNotContain(ESCAPE);
        }
    }

    /** With a folder of its own: in the one of this user, devices of other processes come and go. */
    private Cli.Outcome statOfNobody(final String line) {
        System.setProperty(StateFolder.PROPERTY, folder.toString());
        try {
            return Cli.run(("stat " + line).split(" "));
        } finally {
            System.clearProperty(StateFolder.PROPERTY);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"--pid 4194303", "--pid 4194303 --prometheus", "-d emulated:nobody-opened-this --once",
        "-d emulated:nobody-opened-this --json"})
    void nobodyThereIsAFailure(final String line) {
        final Cli.Outcome outcome = statOfNobody(line);
        assertThat(outcome.exitCode()).as(outcome.out()).isEqualTo(1);
        assertThat(outcome.out()).isEmpty();
        assertThat(outcome.errLines()).singleElement().asString().doesNotContain("internal error")
            .containsPattern("there is no process 4194303|no process of this user has this device open|live-");
    }

    @Test
    void aCollectorIsToldThatNothingIsLeft() {
        final Cli.Outcome outcome = statOfNobody("--prometheus -d emulated:nobody-opened-this");
        assertThat(outcome.exitCode()).as(outcome.err()).isZero();
        assertThat(outcome.err()).isEmpty();
        assertThat(outcome.out()).isEqualTo("# no process of this user has this device open\n");
    }

    /** Of another user's it is he who named it. */
    @Test
    void aTerminalDoesNotObeyTheNameOfAFolder() throws IOException {
        folder = Files.createDirectory(folder.resolve(ESCAPE + "[2J"));
        System.setProperty(StateFolder.PROPERTY, folder.toString());
        try (RdmaContext context = RdmaDevices.open("emulated:stat-escape")) {
            copy(onlyFile(), "live-" + PID + "-999998.dat", VERSION, 99);
            Files.createSymbolicLink(folder.resolve("live-" + PID + "-999999.dat"), folder);
            assertThat(stat(context, "--once").errLines()).hasSize(2)
                .allSatisfy(line -> assertThat(line).doesNotContain(ESCAPE).contains("/?[2J/live-"));
            assertThat(Cli.run("dump").out()).doesNotContain(ESCAPE).contains("/?[2J/live-");
        } finally {
            System.clearProperty(StateFolder.PROPERTY);
        }
    }

    @Test
    void aFileThatCannotBeLookedIntoIsNoTroubleWhereAnotherDeviceIsWanted() throws IOException {
        System.setProperty(StateFolder.PROPERTY, folder.toString());
        try (RdmaContext context = RdmaDevices.open("emulated:stat-foreign")) {
            copy(onlyFile(), "live-" + PID + "-999999.dat", NAMESPACE, 7);
            assertThat(statOfNobody("--prometheus -d emulated:nobody-opened-this").exitCode()).isZero();
            assertThat(statOfNobody("--prometheus -d " + context.address()).err()).contains("of another container");
        } finally {
            System.clearProperty(StateFolder.PROPERTY);
        }
    }

    /** A crontab of root's is to have the numbers of all. */
    @Waiting
    @Test
    void rootSeesTheDevicesOfEveryUser() throws Exception {
        assumeThat(Libc.geteuid()).as("needs root, to start a process as another user").isZero();
        assumeThat(System.getenv(StateFolder.VARIABLE)).as("a folder that is named is all that is looked at").isNull();
        assumeThat(Files.isExecutable(Path.of(AS_NOBODY.get(0)))).as("root needs setpriv to be another user").isTrue();
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx------"));
        Files.setAttribute(folder, "unix:uid", 65534);
        final Process other = startListener(AS_NOBODY, "emulated:of-nobody");
        try {
            for (final String line : List.of("stat --once", "stat --once --json", "stat --prometheus", "dump",
                "dump --json")) {
                final Cli.Outcome outcome = Cli.run(line.split(" "));
                assertThat(outcome.exitCode()).as(outcome.err()).isZero();
                assertThat(outcome.out()).as(line).contains("" + other.pid(), "emulated:of-nobody");
            }
        } finally {
            end(other);
        }
    }

    /** A text cannot be a number: it is told beside the numbers. */
    @Test
    void whatPrometheusCannotReadIsTold() {
        System.setProperty("rdma4j.live.objects", "1");
        try (RdmaContext context = RdmaDevices.open("emulated:stat-troubles")) {
            final Cli.Outcome outcome = stat(context, "--prometheus");
            assertThat(outcome.exitCode()).as(outcome.err()).isZero();
            assertThat(outcome.out()).containsPattern("\nrdma4j_troubles\\{[^}]*stat-troubles[^}]*} 1\n");
            assertThat(outcome.errLines()).singleElement().asString()
                .startsWith("rdma4j: process " + PID + ", emulated:stat-troubles: some objects are not shown");
        } finally {
            System.clearProperty("rdma4j.live.objects");
        }
    }

    /** The head of a device's file with another number in it. */
    private Path copy(final Path file, final String name, final int at, final long value) throws IOException {
        final byte[] head = Files.readAllBytes(file);
        ByteBuffer.wrap(head).order(ByteOrder.LITTLE_ENDIAN).putLong(at, value);
        return Files.write(folder.resolve(name), head);
    }

    private Path onlyFile() throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(file -> file.toString().endsWith(".dat")).findFirst().orElseThrow();
        }
    }

    /** Which may be of the very device that is looked for. What a process left is no trouble. */
    @ParameterizedTest
    @ValueSource(strings = {"--count 3 --interval 0.01", "--count 3 --interval 0.01 --json", "--prometheus",
        "--once -d emulated:stat-hidden"})
    void filesThatCannotBeLookedIntoAreToldOnce(final String line) throws IOException {
        System.setProperty(StateFolder.PROPERTY, folder.toString());
        try (RdmaContext context = RdmaDevices.open("emulated:stat-hidden")) {
            final Path hidden = copy(onlyFile(), "live-" + PID + "-999998.dat", VERSION, 99);
            copy(onlyFile(), "live-" + PID + "-999999.dat", PROCESS_START, 12);
            final Cli.Outcome outcome = Cli.run(("stat " + line).split(" "));
            assertThat(outcome.exitCode()).as(outcome.err()).isZero();
            assertThat(outcome.out()).contains(context.address()).doesNotContain("is left out");
            assertThat(outcome.errLines()).singleElement().asString()
                .startsWith("rdma4j: " + hidden + " is left out: it is of version ");
        } finally {
            System.clearProperty(StateFolder.PROPERTY);
        }
    }

    @Test
    void filesOfOtherProcessesAreNoneOfThisOnes() throws IOException {
        System.setProperty(StateFolder.PROPERTY, folder.toString());
        try (RdmaContext context = RdmaDevices.open("emulated:stat-other")) {
            copy(onlyFile(), "live-" + ProcessHandle.current().parent().orElseThrow().pid() + "-0.dat", VERSION, 99);
            assertThat(stat(context, "--once").err()).isEmpty();
        } finally {
            System.clearProperty(StateFolder.PROPERTY);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"--json --prometheus", "--once --count 3", "--prometheus --interval 2", "--interval 0",
        "--once --interval 2", "--prometheus -v", "--count 0", "--pid x", "surplus"})
    void wrongUsage(final String line) {
        final Cli.Outcome outcome = Cli.run(("stat " + line).split(" "));
        assertThat(outcome.exitCode()).as(outcome.err()).isEqualTo(2);
        assertThat(outcome.out()).isEmpty();
    }

    /** Another process with a command line. */
    private Process start(final String... args) throws IOException {
        return startAs(List.of(), args);
    }

    private Process startAs(final List<String> user, final String... args) throws IOException {
        // What runs in the background of a script ignores SIGINT, and so does what it starts, unless told otherwise.
        final List<String> command = new ArrayList<>(user);
        command.addAll(List.of("env", "--default-signal=INT"));
        command.addAll(OtherJvm.command(List.of(), Main.class, args));
        final ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().put("RDMA4J_STATE_DIR", folder.toString());
        return builder.start();
    }

    private static BufferedReader output(final Process process) {
        return new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    }

    private static void end(final Process... processes) throws InterruptedException {
        for (final Process process : processes) {
            process.destroyForcibly();
            process.waitFor(DEADLINE_SECONDS, TimeUnit.SECONDS);
        }
    }

    /** Reads until a line is as wanted; all lines so far if it does not come. */
    private static String await(final BufferedReader out, final String pattern) throws IOException {
        final StringBuilder seen = new StringBuilder();
        final Pattern wanted = Pattern.compile(pattern);
        for (String line = out.readLine(); line != null; line = out.readLine()) {
            seen.append(line).append('\n');
            if (wanted.matcher(line).find()) {
                return line;
            }
        }
        throw new AssertionError("no line like " + pattern + " in:\n" + seen);
    }

    /** One that has a device open for as long as nobody comes. */
    private Process startListener(final String address) throws IOException {
        return startListener(List.of(), address);
    }

    private Process startListener(final List<String> user, final String address) throws IOException {
        final Process process = startAs(user, "pingpong", "-d", address, "--listen=:0", "--timeout", "300");
        await(output(process), "listening at");
        return process;
    }

    @Waiting
    @Test
    void aProcessThatDiesIsToldAndTheOthersGoOn() throws Exception {
        final Process stays = startListener("emulated:stays");
        final Process dies = startListener("emulated:dies");
        final Process stat = start("stat", "--interval", "0.05");
        try {
            final BufferedReader out = output(stat);
            await(out, "emulated:stays");
            await(out, "emulated:dies");
            dies.destroyForcibly();
            assertThat(await(out, "^rdma4j: ")).isEqualTo(
                "rdma4j: process " + dies.pid() + " ended, with emulated:dies open");
            await(out, "process " + stays.pid() + "  emulated:stays");
            stays.destroyForcibly();
            assertThat(await(out, "^rdma4j: ")).contains("process " + stays.pid() + " ended");
            assertThat(await(out, "^rdma4j: ")).contains("no device is left");
            assertThat(stat.waitFor(DEADLINE_SECONDS, TimeUnit.SECONDS)).isTrue();
            assertThat(stat.exitValue()).isZero();
        } finally {
            end(stays, dies, stat);
        }
    }

    @Waiting
    @Test
    void ctrlCEndsItWithSuccess() throws Exception {
        final Process device = startListener("emulated:ctrl-c");
        final Process stat = start("stat", "--interval", String.valueOf(2 * Patience.duration().toSeconds()));
        try {
            await(output(stat), "commands ");
            interrupt(stat);
            assertThat(Patience.ends(stat)).as("ended long before the next look").isTrue();
            assertThat(stat.exitValue()).isZero();
        } finally {
            end(device, stat);
        }
    }

    /** The program of this name is of a package of its own; bash has it built in. */
    private static void interrupt(final Process process) throws IOException, InterruptedException {
        new ProcessBuilder("bash", "-c", "kill -INT " + process.pid()).start()
            .waitFor(DEADLINE_SECONDS, TimeUnit.SECONDS);
    }

    /** Linux gives a pipe 64 KiB, in pages that need not be full. */
    private static void awaitFullPipe(final InputStream pipe) throws IOException, InterruptedException {
        final long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(DEADLINE_SECONDS);
        int before = -1;
        int equal = 0;
        while (equal < READINGS) {
            final int now = pipe.available();
            assertThat(System.nanoTime()).as("%d bytes wait in the pipe", now).isLessThan(end);
            equal = now >= 32768 && now == before ? equal + 1 : 1;
            before = now;
            Thread.sleep(500);
        }
    }

    @Waiting
    @Test
    void theSecondCtrlCEndsItWhereItHangs() throws Exception {
        final Process device = startListener("emulated:full-pipe");
        final Process stat = start("stat", "--interval", "0.001", "--json", "-v");
        try {
            await(output(stat), "rdma4j_stat");
            awaitFullPipe(stat.getInputStream());
            interrupt(stat);
            assertThat(stat.waitFor(500, TimeUnit.MILLISECONDS)).as("it hangs, or this test shows nothing").isFalse();
            final long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(DEADLINE_SECONDS);
            do {
                interrupt(stat);
            } while (!stat.waitFor(200, TimeUnit.MILLISECONDS) && System.nanoTime() < end);
            assertThat(stat.isAlive()).as("still there").isFalse();
            assertThat(stat.exitValue()).isEqualTo(130);
        } finally {
            end(device, stat);
        }
    }

    @Waiting
    @Test
    void whereNobodyReadsAnyMoreItEndsQuietly() throws Exception {
        final Process device = startListener("emulated:pipe");
        final Process stat = start("stat", "--interval", "0.02", "--json");
        try {
            final BufferedReader out = output(stat);
            await(out, "rdma4j_stat");
            out.close();
            assertThat(stat.waitFor(DEADLINE_SECONDS, TimeUnit.SECONDS)).isTrue();
            assertThat(stat.exitValue()).isZero();
        } finally {
            end(device, stat);
        }
    }

    @Test
    void aDeviceThatIsClosedIsTold() throws Exception {
        final StringWriter out = new StringWriter();
        final StringWriter err = new StringWriter();
        final RdmaContext context = RdmaDevices.open("emulated:stat-closed");
        final Thread closer = new Thread(() -> {
            awaitPage(out);
            context.close();
        });
        closer.start();
        final int exitCode = Main.run(
            new Terminal(new PrintWriter(out), new PrintWriter(err), false, false), Machine.here(),
            "stat", "--pid", "" + PID, "-d", "emulated:stat-closed", "--interval", "0.02");
        closer.join();
        assertThat(exitCode).as(err.toString()).isZero();
        assertThat(err.toString().lines()).containsExactly("rdma4j: process " + PID + " closed emulated:stat-closed",
            "rdma4j: no device is left to be watched");
    }

    private static void awaitPage(final StringWriter out) {
        final long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(DEADLINE_SECONDS);
        while (!out.toString().contains("commands") && System.nanoTime() < end) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
        }
    }
}
