/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools;

import com.google.gson.JsonObject;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

/** Commands are traced, and traces are played again. */
@Timeout(120)
class ReplayCommandTest {
    @TempDir
    private Path folder;

    private Path trace(final String line) {
        final Path file = folder.resolve("t.trace");
        final Cli.Outcome outcome = Cli.run((line + " --trace " + file).split(" "));
        assertThat(outcome.exitCode()).as(outcome.err()).isZero();
        return file;
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " --op write", " --op read", " --op cas", " --ud", " --wait block"})
    void whatOneDevicePlayedTheSameDevicePlaysAgain(final String game) throws IOException {
        final Path file = trace("pingpong -d emulated:replayed -n 30 -w 2 --trace-data" + game);
        assertThat(Files.readString(file)).contains(" command name=CREATE_QP ", " send queue=", " completion queue=");
        final Cli.Outcome outcome = Cli.run("replay", file.toString(), "-d", "emulated:replayed", "--json");
        assertThat(outcome.exitCode()).as(outcome.out() + outcome.err()).isZero();
        final JsonObject result = outcome.json();
        assertThat(result.get("unknown").getAsJsonArray()).isEmpty();
        assertThat(result.get("known").getAsJsonArray()).isEmpty();
        assertThat(result.get("skipped").getAsJsonArray()).isEmpty();
        assertThat(result.get("left_out").getAsJsonArray()).isEmpty();
        assertThat(result.get("fields").getAsInt()).isGreaterThan(300);
    }

    @Test
    void whoTheDeviceIsMayDiffer() {
        final Path file = trace("devinfo -d emulated:?guid=0000:00ff:fe00:0001");
        final Cli.Outcome outcome = Cli.run("replay", file.toString(), "-d", "emulated:?guid=0000:00ff:fe00:0002");
        assertThat(outcome.exitCode()).as(outcome.out() + outcome.err()).isZero();
    }

    /** Not only in the steps of the script that the table was made with. */
    @ParameterizedTest
    @ValueSource(strings = {"", " --op write", " --ud", " --wait block"})
    void whatQemuDoesOtherwiseIsListedAndKnown(final String game) {
        final Path file = trace("pingpong -n 5 -w 0 --trace-data" + game);
        final Cli.Outcome plain =
            Cli.run("replay", file.toString(), "-d", "emulated:?quirks=qemu-7.2", "--json", "--all");
        assertThat(plain.exitCode()).as(plain.err()).isEqualTo(1);
        final Cli.Outcome known = Cli.run("replay", file.toString(), "-d", "emulated:?quirks=qemu-7.2", "--json",
            "--known", "qemu-7.2");
        assertThat(known.json().get("unknown").getAsJsonArray()).isEmpty();
        assertThat(known.exitCode()).isZero();
        assertThat(known.json().get("known").getAsJsonArray())
            .hasSameSizeAs(plain.json().get("unknown").getAsJsonArray()).isNotEmpty();
    }

    @Test
    void whatADeviceLacksIsSkippedAndCounted() {
        final Path file = trace("pingpong -n 5 -w 0 --op write --trace-data");
        final Cli.Outcome outcome =
            Cli.run("replay", file.toString(), "-d", "emulated:?quirks=qemu-7.2", "--known", "qemu-7.2");
        assertThat(outcome.out()).contains("skipped on this device: 10 x POST_SEND: SEND_ONLY")
            .contains("the request of the completion was left out");
    }

    /** Here it is another device of the same process. */
    @Test
    void whatHasItsPeerOnAnotherDeviceIsLeftOut() {
        final Path file = trace("pingpong -d emulated:a -d emulated:b -n 5 -w 0 --trace-data");
        for (final String which : new String[] {"1", "2"}) {
            final Cli.Outcome outcome = Cli.run("replay", file.toString(), "--which", which);
            assertThat(outcome.out()).as(outcome.err())
                .contains("send: is of a queue pair whose peer is not on this device").doesNotContain("process");
        }
    }

    @Test
    void onlyTheOwnerReadsATraceAndDataIsTracedOnlyIfAskedFor() throws IOException {
        final Path file = trace("pingpong -n 2 -w 0");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file))).isEqualTo("rw-------");
        assertThat(Files.readString(file)).contains(" command ").doesNotContain(" send queue=", " completion ");
        assertThat(Files.readAllLines(file)).last().asString().endsWith(" close");
    }

    /** Least of all what the command itself reads. */
    @ParameterizedTest
    @CsvSource({"replay FILE, 0", "show FILE, 1", "perf send_lat -q 2, 2", "completion, 0", "devinfo -d nosuch:, 1"})
    void whereNothingIsTracedTheFileStaysAsItWas(final String line, final int exitCode) throws IOException {
        final Path file = trace("devinfo -d emulated:traced");
        final String before = Files.readString(file);
        final Cli.Outcome outcome =
            Cli.run((line + " --trace FILE").replace("FILE", file.toString()).split(" "));
        assertThat(file).hasContent(before);
        assertThat(outcome.exitCode()).as(outcome.err()).isEqualTo(exitCode);
        if (exitCode == 0) {
            assertThat(outcome.err()).contains("nothing was traced, and '" + file + "' is as it was");
        }
    }

    @Test
    void optionsThatDoNotGoTogetherAndFilesThatCannotBeMade() {
        final Cli.Outcome alone = Cli.run("devinfo", "--trace-data");
        assertThat(alone.exitCode()).isEqualTo(2);
        assertThat(alone.err()).contains("--trace-data needs --trace FILE");
        final Cli.Outcome nowhere = Cli.run("devinfo", "--trace", folder.resolve("no/such").toString());
        assertThat(nowhere.exitCode()).isEqualTo(1);
        assertThat(nowhere.err()).contains("begin trace", "no/such").doesNotContain("internal error");
        assertThat(nowhere.out()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "''|line 1: the file is empty",
        "hello|line 1: it is no trace",
        "rdma4j-script 1|line 1: it is no trace",
        "rdma4j-trace 2|line 1: it is of version '2'",
        "rdma4j-trace 1|no device was opened",
        "rdma4j-trace 1;1 5 close|line 2: device 1 was not opened",
        "rdma4j-trace 1;x|line 2: it is no record",
        "rdma4j-trace 1;1 5 open version=20 caps=zz address=a:|line 2: caps has 'zz'",
        "rdma4j-trace 1;1 5 open caps=- address=a:|line 2: a record 'open' needs version=",
        "rdma4j-trace 1;1 5 open version=20 caps=- address=a:;1 6 command name=X err=0x0 request=0 response=-|line 3",
        "rdma4j-trace 1;end full;1 5 close|line 3: something follows"
    })
    void whatIsNoTraceIsRefusedWithItsLine(final String text, final String message) throws IOException {
        final Path file = folder.resolve("bad.trace");
        Files.writeString(file, text.isEmpty() ? "" : text.replace(';', '\n') + "\n");
        final Cli.Outcome outcome = Cli.run("replay", file.toString());
        assertThat(outcome.exitCode()).isEqualTo(1);
        assertThat(outcome.errLines()).singleElement().asString().contains(message).doesNotContain("internal error");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "--save no/such/folder/t|1|save replay failed (no/such/folder/t.script)",
        "--patience 0|2|'0' is not a factor from 1 to 1000",
        "--which 0|2|'0' is not a device of a trace"
    })
    void optionsAreCheckedBeforeAnythingIsPlayed(final String options, final int exitCode, final String message) {
        final Path file = folder.resolve("not-even-read");
        final Cli.Outcome outcome = Cli.run(("replay " + file + " " + options).split(" "));
        assertThat(outcome.exitCode()).as(outcome.err()).isEqualTo(exitCode);
        assertThat(outcome.err()).contains(message);
    }

    /** Here the name is too long, which is known only when it is written. */
    @Test
    void aFileThatCannotBeWrittenDoesNotTakeTheResultAway() throws IOException {
        final Path file = trace("devinfo");
        try (ServerSocketChannel socket = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            // Of this user, so nothing stands against it; who opens it to write is refused.
            socket.bind(UnixDomainSocketAddress.of(folder.resolve("t.script")));
            final Cli.Outcome outcome =
                Cli.run("replay", file.toString(), "--json", "--save", folder.resolve("t").toString());
            assertThat(outcome.exitCode()).isEqualTo(1);
            assertThat(outcome.errLines()).singleElement().asString().contains("save replay failed");
            assertThat(outcome.json().get("unknown").getAsJsonArray()).isEmpty();
        }
    }

    @Test
    void aTraceThatIsCutOffNamesTheLine() throws IOException {
        final Path file = trace("devinfo");
        final List<String> lines = Files.readAllLines(file);
        Files.writeString(file, String.join("\n", lines));
        final Cli.Outcome outcome = Cli.run("replay", file.toString());
        assertThat(outcome.exitCode()).isEqualTo(1);
        assertThat(outcome.err()).contains("line " + lines.size() + ": the file is cut off in this line");
        Files.write(file, lines.subList(0, lines.size() - 1));
        assertThat(Cli.run("replay", file.toString()).out()).contains("note: the device was not closed", "identical");
    }
}
