/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools;

import io.rdma4j.testing.Loopback;
import io.rdma4j.testing.OtherJvm;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;

/** Emulated devices of two processes, over shared memory and over UDP on loopback. */
@Tag("thorough")
class WireProcessesTest {
    private static final Map<String, String> DEVICES = Map.of(
        "auto", "emulated:",
        "shm", "emulated:wire#?wire=shm",
        "udp", "emulated:wire#?wire=udp&address=@",
        "polled-shm", "emulated:wire#?wire=shm&progress=poll",
        "polled-udp", "emulated:wire#?wire=udp&progress=poll&address=@");
    private static final long DEADLINE_SECONDS = 60;
    private static final int PCAP_OF_NANOSECONDS = 0xa1b23c4d;

    @ParameterizedTest
    @CsvSource({
        "shm, --op send", "shm, --op send --ud", "shm, --op send -s 100000", "shm, --op write",
        "shm, --op read -s 70000", "shm, --op faa", "udp, --op send --wait block", "udp, --op send --ud",
        "udp, --op write -s 70000", "udp, --op read", "udp, --op cas",
        "auto, --op send", "auto, --op read -s 70000",
        "polled-shm, --op send -s 100000", "polled-shm, --op send --ud --wait block", "polled-shm, --op read -s 70000",
        "polled-udp, --op write -s 70000", "polled-udp, --op send --wait block", "polled-udp, --op faa"
    })
    void pingpongBetweenTwoProcesses(final String wire, final String game) throws Exception {
        final Listening listening =
            new Listening("pingpong --timeout 50 --listen=:0 -d " + device(wire, 6) + " " + game);
        final Process process = start("pingpong --timeout 50 -n 50 -w 5 -d " + device(wire, 7) + " " + game
            + " --connect " + listening.address());
        final String near = end(process);
        final Cli.Outcome far = listening.outcome();
        assertThat(process.exitValue()).as(near + far.err()).isZero();
        assertThat(far.exitCode()).as(near + far.err()).isZero();
        assertThat(near).contains(game.contains("read") || game.contains("faa") || game.contains("cas") ? " 50 "
            : "Data validated: yes");
    }

    @ParameterizedTest
    @CsvSource({"pingpong -n 20 -w 0", "perf send_lat -n 20", "fi_pingpong -e msg -I 20 -S 64",
        "pingpong -n 20 -w 0 -d emulated:pcap-a -d emulated:pcap-b",
        "perf send_lat -n 20 -d emulated:pcap-a -d emulated:pcap-b?wire=shm",
        "fi_pingpong -e msg -I 20 -S 64 -d emulated:pcap-a?wire=shm -d emulated:pcap-b"})
    void aCaptureHasEachPacket(final String game, @TempDir final Path folder) throws Exception {
        final Path file = folder.resolve("frames.pcap");
        final Cli.Outcome played = Cli.run((game + " --pcap " + file).split(" "));
        assertThat(played.exitCode()).as(played.err()).isZero();
        final ByteBuffer capture = ByteBuffer.wrap(Files.readAllBytes(file));
        assertThat(capture.order(ByteOrder.nativeOrder()).getInt()).isEqualTo(PCAP_OF_NANOSECONDS);
        assertThat(capture.limit()).as("20 messages of 64 bytes and their acknowledgements, there and back")
            .isGreaterThan(2 * 20 * (64 + 4 * 14));
    }

    /** As on a full disk: what was measured is printed, and then that the file lacks packets. */
    @ParameterizedTest
    @CsvSource({"pingpong -n 20 -w 0 -s 1m", "perf send_lat -n 20 -s 1m", "fi_pingpong -I 20 -S 1m"})
    void aCaptureThatEndsEarlyIsAFailure(final String game, @TempDir final Path folder) throws Exception {
        final List<String> limited = new ArrayList<>(List.of("bash", "-c", "ulimit -f 32768; exec \"$@\"", "bash"));
        limited.addAll(OtherJvm.command(List.of(), Main.class,
            (game + " --pcap " + folder.resolve("long.pcap")).split(" ")));
        final Process process = new ProcessBuilder(limited).redirectErrorStream(true).start();
        final String said = end(process);
        assertThat(process.exitValue()).as(said).isEqualTo(1);
        assertThat(said).contains("usec").contains("capture failed", "long.pcap", "the file ends after");
    }

    @Test
    void onlyEmulatedDevicesCapture() {
        final Cli.Outcome refused = Cli.run("pingpong", "-d", "vfio:0000:00:00.0", "--pcap", "frames.pcap");
        assertThat(refused.exitCode()).isEqualTo(2);
        assertThat(refused.err()).contains("--pcap", "vfio:0000:00:00.0", "tcpdump");
    }

    @ParameterizedTest
    @CsvSource({"emulated:?quirks=qemu-7.2, x.pcap, has no wire", "emulated:?wire=none, x.pcap, has no wire",
        "emulated:, R&D.pcap, take another"})
    void aCaptureThatCannotBeIsRefusedByItsOwnName(final String device, final String file, final String why) {
        final Cli.Outcome refused = Cli.run("pingpong", "-n", "1", "-d", device, "--pcap", file);
        assertThat(refused.exitCode()).isEqualTo(2);
        assertThat(refused.err()).contains("option '--pcap' (FILE)", why).doesNotContain("shortcut");
    }

    private static String device(final String wire, final int host) {
        return DEVICES.get(wire).replace("#", Integer.toString(host)).replace("@", Loopback.address(host));
    }

    private static Process start(final String line) throws Exception {
        return new ProcessBuilder(OtherJvm.command(List.of(), Main.class, line.split(" ")))
            .redirectErrorStream(true).start();
    }

    private static String end(final Process process) throws Exception {
        final String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(DEADLINE_SECONDS, TimeUnit.SECONDS)).as(said).isTrue();
        return said;
    }
}
