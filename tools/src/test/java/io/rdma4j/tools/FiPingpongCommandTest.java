/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.rdma4j.testing.Background;
import io.rdma4j.testing.Loopback;
import io.rdma4j.testing.OtherJvm;
import io.rdma4j.testing.Patience;
import io.rdma4j.tools.text.Terminal;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** fi_pingpong as it is called: both ends in one process, and as server and client. */
class FiPingpongCommandTest {
    private static final long DEADLINE_SECONDS = Patience.duration().toSeconds();
    private static final String LISTENING = "rdma4j: listening at ";
    private static final String QUIRKS = "emulated:fi-pingpong-quirks?quirks=qemu-7.2";

    /** A server on a thread of its own, which says on standard error where it listens. */
    private static final class Server {
        private final CompletableFuture<String> port = new CompletableFuture<>();
        private final CompletableFuture<Cli.Outcome> outcome = new CompletableFuture<>();
        private final StringWriter out = new StringWriter();
        private final StringWriter err = new StringWriter() {
            @Override
            public void flush() {
                tell(toString());
            }
        };

        Server(final String line) {
            final Thread thread = new Thread(() -> {
                final int code = Main.run(new Terminal(new PrintWriter(out), new PrintWriter(err), false, false),
                    ("fi_pingpong --server -p 0 " + line).split(" "));
                outcome.complete(new Cli.Outcome(code, out.toString(),
                    err.toString().replaceFirst(LISTENING + ".*\\R", "")));
                port.completeExceptionally(new AssertionError("ended with " + code + ": " + err));
            }, "server");
            thread.setDaemon(true);
            thread.start();
        }

        private void tell(final String text) {
            if (text.startsWith(LISTENING) && text.indexOf('\n') > 0) {
                final String address = text.substring(0, text.indexOf('\n')).strip();
                port.complete(address.substring(address.lastIndexOf(':') + 1));
            }
        }

        Cli.Outcome client(final String line) throws Exception {
            return Cli.run(("fi_pingpong -p " + port.get(DEADLINE_SECONDS, TimeUnit.SECONDS) + " " + line
                + " 127.0.0.1").split(" "));
        }

        Cli.Outcome outcome() throws Exception {
            return outcome.get(DEADLINE_SECONDS, TimeUnit.SECONDS);
        }
    }

    private static List<Integer> column(final JsonObject json, final String name) {
        final List<Integer> values = new ArrayList<>();
        for (final JsonElement row : json.getAsJsonArray("rows")) {
            values.add(row.getAsJsonObject().get(name).getAsInt());
        }
        return values;
    }

    @ParameterizedTest
    @ValueSource(strings = {"msg", "rdm", "dgram", "FI_EP_RDM"})
    void bothEndsHere(final String type) {
        for (final String device : new String[] {"emulated:fi-pingpong", QUIRKS}) {
            final Cli.Outcome outcome = Cli.run("fi_pingpong", "-d", device, "-e", type, "-I", "20", "-c",
                "--json");
            assertThat(outcome.exitCode()).as(outcome.err()).isZero();
            assertThat(outcome.err()).isEmpty();
            assertThat(outcome.json().get("device").getAsString()).isEqualTo(device);
            assertThat(outcome.json().get("peer").isJsonNull()).isTrue();
            assertThat(outcome.json().get("ep_type").getAsString()).isEqualTo(
                type.startsWith("FI_") ? type : "FI_EP_" + type.toUpperCase(Locale.ROOT));
            assertThat(outcome.json().get("data_validated").getAsBoolean()).isTrue();
            assertThat(column(outcome.json(), "sent")).isNotEmpty().containsOnly(20);
            assertThat(column(outcome.json(), "ack")).containsOnly(20);
            assertThat(column(outcome.json(), "bytes")).startsWith(64, 256, 1024);
            assertThat(column(outcome.json(), "total_bytes").get(0)).isEqualTo(20 * 64 * 2);
        }
    }

    @Test
    void printsTheColumnsOfLibfabric() {
        final Cli.Outcome outcome = Cli.run("fi_pingpong", "-d", "emulated:fi-pingpong", "-S", "4k", "-I", "1000");
        assertThat(outcome.exitCode()).as(outcome.err()).isZero();
        assertThat(outcome.outLines()).hasSize(5);
        assertThat(outcome.outLines().get(0).strip().split(" +")).containsExactly(
            "bytes", "#sent", "#ack", "total", "time", "MB/sec", "usec/xfer", "Mxfers/sec");
        assertThat(outcome.outLines().get(1)).matches(
            " +4k +1k +=1k +7m +\\d+\\.\\d\\ds +\\d+\\.\\d\\d +\\d+\\.\\d\\d +\\d+\\.\\d\\d");
        assertThat(outcome.outLines().get(3).strip().split(" +"))
            .containsExactly("bytes", "p50[usec]", "p99[usec]", "p99.9[usec]", "max[usec]");
        assertThat(outcome.outLines().get(4)).matches(" +4k( +\\d+\\.\\d\\d){4}");
    }

    private static JsonObject times(final Cli.Outcome outcome) {
        return outcome.json().getAsJsonArray("rows").get(0).getAsJsonObject().getAsJsonObject("usec_per_xfer");
    }

    @Test
    void percentilesAreInOrder() {
        final JsonObject times = times(Cli.run("fi_pingpong", "-S", "64", "-I", "2000", "--json"));
        double before = 0;
        for (final String key : List.of("p50", "p99", "p99_9", "max")) {
            assertThat(times.get(key).getAsDouble()).as(key).isGreaterThanOrEqualTo(before).isPositive();
            before = times.get(key).getAsDouble();
        }
        assertThat(times.get("mean").getAsDouble()).isLessThanOrEqualTo(before);
    }

    @Test
    void warmsUpAsLongAsIsAskedFor() throws Exception {
        assertThat(Cli.run("fi_pingpong", "-S", "64", "-I", "5", "-w", "0").exitCode()).isZero();
        assertThat(Cli.run("fi_pingpong", "-S", "64", "-I", "5", "--warmup", "100").exitCode()).isZero();
        final Server server = new Server("-d emulated:fi-pingpong-there -w 5");
        final Cli.Outcome client = server.client("-d emulated:fi-pingpong-here -w 6");
        assertThat(client.err()).contains("-w 5", "-w 6", "give both the same");
        assertThat(server.outcome().exitCode()).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"msg", "rdm", "dgram"})
    void theOtherEndMayHaveADeviceOfItsOwn(final String type) {
        final Cli.Outcome outcome = Cli.run("fi_pingpong", "-d", "emulated:fi-pingpong-a", "-d",
            "emulated:fi-pingpong-b", "-e", type, "-I", "20", "-S", "64", "-c", "--json");
        assertThat(outcome.exitCode()).as(outcome.err()).isZero();
        assertThat(outcome.json().get("device").getAsString()).isEqualTo("emulated:fi-pingpong-a");
        assertThat(outcome.json().get("peer_device").getAsString()).isEqualTo("emulated:fi-pingpong-b");
        assertThat(column(outcome.json(), "ack")).containsExactly(20);
    }

    @Test
    void allSizesAsFarAsTheyFit() {
        final Cli.Outcome outcome = Cli.run("fi_pingpong", "-d", QUIRKS, "-e", "dgram", "-S", "all", "-I", "2",
            "--json");
        assertThat(outcome.exitCode()).as(outcome.err()).isZero();
        assertThat(column(outcome.json(), "bytes")).startsWith(1, 2, 3, 4, 6, 8, 12, 16).contains(768)
            .allMatch(bytes -> bytes <= 4096);
    }

    @Test
    void noBytesAreAMessageToo() {
        final Cli.Outcome outcome = Cli.run("fi_pingpong", "-S", "0", "-I", "5", "--json");
        assertThat(outcome.exitCode()).as(outcome.err()).isZero();
        assertThat(column(outcome.json(), "ack")).containsExactly(5);
    }

    @Test
    void numbersAreCutOffAsInLibfabric() {
        assertThat(FiPingpongReport.scaled(0, 1024)).isEqualTo("0");
        assertThat(FiPingpongReport.scaled(1023, 1024)).isEqualTo("1023");
        assertThat(FiPingpongReport.scaled(1024, 1024)).isEqualTo("1k");
        assertThat(FiPingpongReport.scaled(1_999, 1000)).isEqualTo("1k");
        assertThat(FiPingpongReport.scaled(3L << 40, 1024)).isEqualTo("3072g");
    }

    @ParameterizedTest
    @ValueSource(strings = {"msg", "rdm", "dgram"})
    void serverAndClient(final String type) throws Exception {
        final String game = "-e " + type + " -I 30 -c -S 1k --json --timeout 50";
        final Server server = new Server("-d emulated:fi-pingpong-there " + game);
        final Cli.Outcome client = server.client("-d emulated:fi-pingpong-here " + game);
        assertThat(client.exitCode()).as(client.err() + server.outcome().err()).isZero();
        assertThat(server.outcome().exitCode()).as(server.outcome().err()).isZero();
        assertThat(column(client.json(), "ack")).containsExactly(30);
        assertThat(column(server.outcome().json(), "ack")).containsExactly(30);
        assertThat(times(client).has("p99")).as("the end that begins a round trip takes its time").isTrue();
        assertThat(times(server.outcome()).keySet()).containsExactly("mean");
        assertThat(client.json().get("peer").getAsString()).startsWith("127.0.0.1:");
        assertThat(client.err() + server.outcome().err()).isEmpty();
    }

    @Test
    void theOtherEndIsNamedAsByPingpong() throws Exception {
        final String game = "fi_pingpong -I 30 -S 1k --json --timeout 50 -d emulated:fi-pingpong-";
        final Listening listening = new Listening(game + "there --listen=127.0.0.1:0");
        final Cli.Outcome client = Cli.run((game + "here --connect " + listening.address()).split(" "));
        assertThat(client.exitCode()).as(client.err() + listening.outcome().err()).isZero();
        assertThat(listening.outcome().exitCode()).as(listening.outcome().err()).isZero();
        assertThat(client.json().get("peer").getAsString()).isEqualTo(listening.address());
    }

    @Test
    void differentGamesAreRefusedByBoth() throws Exception {
        final Server server = new Server("-d emulated:fi-pingpong-there -I 10 --timeout 50");
        final Cli.Outcome client = server.client("-d emulated:fi-pingpong-here -I 11 --timeout 50");
        for (final Cli.Outcome outcome : List.of(client, server.outcome())) {
            assertThat(outcome.exitCode()).isEqualTo(1);
            assertThat(outcome.err()).contains("-I 10", "-I 11", "give both the same");
        }
    }

    private static byte[] introduction(final String game) {
        final byte[] text = game.getBytes(StandardCharsets.UTF_8);
        final int nameLength = 48;
        return ByteBuffer.allocate(4 + 16 + 1 + 4 + text.length + 4 + nameLength).putInt(0x66_70_70_01)
            .putLong(1).putLong(2).put((byte) 1).putInt(text.length).put(text).putInt(nameLength).array();
    }

    /**
     * What is written to who is gone ends the connection, but not before what came is read. Nothing of that is an order
     * to the terminal.
     */
    @Test
    void whoRefusesAndGoesIsHeardNevertheless() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            final CompletableFuture<Void> gone = CompletableFuture.runAsync(() -> {
                try (Socket socket = server.accept()) {
                    socket.getOutputStream().write(introduction("chess\u001b[2J\u009b"));
                } catch (final IOException e) {
                    throw new UncheckedIOException(e);
                }
            }, Background::run);
            final Cli.Outcome client = Cli.run("fi_pingpong", "-I", "10", "--timeout", "50", "-p",
                Integer.toString(server.getLocalPort()), "127.0.0.1");
            gone.get(DEADLINE_SECONDS, TimeUnit.SECONDS);
            assertThat(client.exitCode()).isEqualTo(1);
            assertThat(client.err()).contains("-I 10", "chess?[2J?", "give both the same");
        }
    }

    @Test
    void nobodyIsThere() throws Exception {
        try (Socket deaf = Loopback.deafPort()) {
            final Cli.Outcome client =
                Cli.run("fi_pingpong", "-p", Integer.toString(deaf.getLocalPort()), "127.0.0.1");
            assertThat(client.exitCode()).isEqualTo(1);
            assertThat(client.err()).contains("FI_ECONNREFUSED", "start the listening side first");
        }
        final Cli.Outcome server = Cli.run("fi_pingpong", "--server", "-p", "0", "--timeout", "0.2");
        assertThat(server.exitCode()).isEqualTo(1);
        assertThat(server.err()).contains("FI_ETIMEDOUT");
    }

    @Test
    void anotherProgramIsRefused() throws Exception {
        final Server server = new Server("-d emulated:fi-pingpong-there");
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(),
            Integer.parseInt(server.port.get(DEADLINE_SECONDS, TimeUnit.SECONDS)))) {
            // At once: it is sent away when its beginning has come.
            socket.getOutputStream()
                .write(("GET / HTTP/1.1\r\n\r\n" + "x".repeat(64)).getBytes(StandardCharsets.US_ASCII));
            assertThat(server.outcome().exitCode()).isEqualTo(1);
            assertThat(server.outcome().err()).contains("no fi_pingpong");
        }
    }

    /** What the other process would be told: here the class path is that of the tests. */
    @Test
    void devicesWithoutAWireSayAtOnceThatTheyDoNotReachEachOther() throws Exception {
        // A JVM that begins has to come in this time.
        final String timeout = Long.toString(Patience.duration().toSeconds());
        final Server server = new Server("-d emulated:fi-pingpong-there?wire=none --timeout " + timeout);
        final Process client = new ProcessBuilder(OtherJvm.command(List.of(), Main.class, "fi_pingpong",
            "-d", "emulated:?wire=none", "--timeout", timeout, "-p",
            server.port.get(DEADLINE_SECONDS, TimeUnit.SECONDS), "127.0.0.1"))
            .redirectErrorStream(true).start();
        try {
            assertThat(Patience.ends(client)).isTrue();
            assertThat(new String(client.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                .contains("do not reach it", "FI_EOPNOTSUPP");
            assertThat(client.exitValue()).isEqualTo(1);
            assertThat(server.outcome().err()).contains("do not reach it", "FI_EOPNOTSUPP");
        } finally {
            client.destroyForcibly();
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "-e nothing             | nothing",
        "-S nonsense            | 'nonsense' is not a size",
        "-S 2g                  | is not a size",
        "-I 0                   | '0' is not a number from 1",
        "-p 65536               | '65536' is not a TCP port",
        "-p 5000                | needs '--server' or HOST",
        "--server 127.0.0.1     | exclude each other",
        "-s 127.0.0.1           | needs '--server'",
        "-e dgram -S 8k         | has at most 4096 bytes, not 8192",
        "one two                | two",
        "-d a: -d b: -d c:      | at most twice",
        "-d a: -d b: host       | at most once when",
        "-w -1                  | '-1' is not a number from 0",
        "--listen --connect=a   | mutually exclusive",
        "--listen --server      | exclude '--server'",
        "--connect=a:1 -p 7     | exclude '--server'",
        "--connect=a b          | exclude '--server'",
    })
    void wrongUsage(final String line, final String message) {
        final Cli.Outcome outcome = Cli.run(("fi_pingpong " + line.strip()).split(" "));
        assertThat(outcome.exitCode()).isEqualTo(2);
        assertThat(outcome.out()).isEmpty();
        assertThat(outcome.err()).contains(message, "Try 'rdma4j fi_pingpong --help'.");
    }

    /** The address, and what the system says of it. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "--server -s nosuch.invalid     | nosuch.invalid:47592 | FI_EHOSTUNREACH",
        "--server -s 203.0.113.5        | 203.0.113.5:47592    | FI_EADDRNOTAVAIL",
        "--listen 203.0.113.5:99        | 203.0.113.5:99       | FI_EADDRNOTAVAIL",
        "nosuch.invalid                 | nosuch.invalid:47592 | FI_EHOSTUNREACH",
        "--connect 127.0.0.1:1          | 127.0.0.1:1          | FI_ECONNREFUSED"
    })
    void saysWhichAddressCannotBeHad(final String line, final String place, final String errno) {
        final Cli.Outcome outcome = Cli.run(("fi_pingpong -d emulated:fi-nowhere " + line.strip()).split(" "));
        assertThat(outcome.exitCode()).isEqualTo(1);
        assertThat(outcome.errLines()).singleElement().asString().contains(place, errno);
    }

    @Test
    void saysHowLongNobodyCame() {
        final Cli.Outcome outcome =
            Cli.run("fi_pingpong", "-d", "emulated:fi-alone", "--server", "-p", "0", "--timeout", "0.2");
        assertThat(outcome.exitCode()).isEqualTo(1);
        assertThat(outcome.err()).contains("nobody came to 127.0.0.1:", "within 0.2 s", "FI_ETIMEDOUT");
    }

    @Test
    void aDeviceThatIsNotThere() {
        final Cli.Outcome outcome = Cli.run("fi_pingpong", "-d", "vfio:0000:ff:1f.7", "-I", "1");
        assertThat(outcome.exitCode()).isEqualTo(1);
        assertThat(outcome.err()).startsWith("rdma4j: ").contains("0000:ff:1f.7");
    }
}
