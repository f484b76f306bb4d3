/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.testing.OtherJvm;
import io.rdma4j.testing.Patience;
import io.rdma4j.verbs.RdmaContext;
import io.rdma4j.verbs.RdmaDevices;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

/** Dumps of a device that another JVM has open, also while that ends. */
@Tag("thorough")
@Timeout(120)
class DumpProcessTest {
    private static final String[] SECTIONS = {"dsr", "caps", "gid", "cmd", "counters", "errors", "regs"};

    /** The other JVM: opens a device, keeps its command channel busy, and ends with its standard input. */
    static final class Busy {
        private Busy() {
        }

        @SuppressWarnings("checkstyle:regexpsinglelinejava")
        public static void main(final String[] args) throws IOException, InterruptedException {
            try (RdmaContext context = RdmaDevices.open("emulated:busy")) {
                final AtomicBoolean stop = new AtomicBoolean();
                final Thread worker = new Thread(() -> {
                    while (!stop.get()) {
                        context.queryPort(1);
                    }
                });
                worker.setDaemon(true);
                worker.start();
                // The worker may be without a processor for as long as anybody looks.
                context.queryPort(1);
                System.out.println("open");
                while (System.in.read() >= 0) {
                    Thread.onSpinWait();
                }
                stop.set(true);
                worker.join();
            }
        }
    }

    private static Process start() throws IOException {
        final Process process = new ProcessBuilder(OtherJvm.command(List.of(), Busy.class))
            .redirectError(ProcessBuilder.Redirect.INHERIT).start();
        final BufferedReader out = new BufferedReader(
            new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        assertThat(out.readLine()).isEqualTo("open");
        return process;
    }

    @Test
    void readsTheDeviceOfAnotherJvmAtWork() throws IOException, InterruptedException {
        final Process process = start();
        try {
            final String pid = Long.toString(process.pid());
            for (final String section : SECTIONS) {
                final Cli.Outcome outcome = Cli.run(section, "--pid", pid);
                assertThat(outcome.exitCode()).as(outcome.err()).isZero();
                assertThat(outcome.out()).contains("emulated:busy", "process      " + pid, "live", section + ": ");
                assertThat(outcome.outLines()).as(section).noneMatch(line -> line.startsWith("!"));
            }
            assertThat(Cli.run("cmd", "--pid", pid).out()).contains("QUERY_PORT", "attrs.max_mtu");
            assertThat(Cli.run("caps", "--pid", pid).out()).contains("ROCE_V2");
            assertThat(Cli.run("dump", "--pid", pid).out()).contains(pid);
        } finally {
            process.getOutputStream().close();
            assertThat(Patience.ends(process)).as("it ends by itself, undisturbed").isTrue();
        }
        assertThat(process.exitValue()).isZero();
    }

    @Test
    void aProcessThatDiesWhileItIsReadIsToldInOneLine() throws IOException, InterruptedException {
        for (int round = 0; round < 3; round++) {
            final Process process = start();
            final String pid = Long.toString(process.pid());
            final AtomicBoolean killed = new AtomicBoolean();
            final Thread killer = new Thread(() -> {
                killed.set(true);
                process.destroyForcibly();
            });
            int afterwards = 0;
            for (int i = 0; i < 60 && afterwards < 5; i++) {
                if (i == 3) {
                    killer.start();
                }
                afterwards += killed.get() && !process.isAlive() ? 1 : 0;
                check(Cli.run("dump", "dsr", "caps", "cmd", "counters", "--pid", pid));
            }
            killer.join();
            assertThat(Patience.ends(process)).isTrue();
            final Cli.Outcome gone = Cli.run("dsr", "--pid", pid);
            assertThat(gone.exitCode()).as(gone.out()).isEqualTo(1);
            assertThat(gone.errLines()).singleElement().asString().contains("ESRCH");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void chronicleIsLoadedForHexDumpsOnly(final boolean raw) throws IOException, InterruptedException {
        final List<String> command = OtherJvm.command(List.of("-Xlog:class+load"), Main.class, "caps");
        if (raw) {
            command.add("--raw");
        }
        final Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        final String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(Patience.ends(process)).isTrue();
        assertThat(process.exitValue()).as(output).isZero();
        assertThat(output).contains("io.rdma4j.tools.dump.CapsSection", "fw_ver").doesNotContain("SLF4J(W)");
        assertThat(output.contains(" net.openhft.")).as("Chronicle was loaded").isEqualTo(raw);
    }

    private static void check(final Cli.Outcome outcome) {
        if (outcome.exitCode() == 0) {
            assertThat(outcome.out()).contains("cmd: ").doesNotContain("could not be read: java");
        } else {
            assertThat(outcome.errLines()).singleElement().asString().startsWith("rdma4j: ")
                .doesNotContain("internal error");
        }
    }
}
