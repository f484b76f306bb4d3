/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools;

import io.rdma4j.testing.Ended;
import io.rdma4j.testing.OtherJvm;
import io.rdma4j.testing.Patience;
import io.rdma4j.tools.text.Terminal;
import io.rdma4j.verbs.RdmaContext;
import io.rdma4j.verbs.RdmaDevices;
import io.rdma4j.verbs.spi.VerbsProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EmptySource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

/** What holds for every command: help, version, exit codes, how failures are told. */
class MainTest {
    private static final String ESCAPE = "\u001b";

    @ParameterizedTest
    @ValueSource(strings = {"--help", "-h"})
    void helpGoesToStandardOutput(final String option) {
        final Cli.Outcome outcome = Cli.run(option);
        assertThat(outcome.exitCode()).isZero();
        assertThat(outcome.err()).isEmpty();
        assertThat(outcome.out()).contains("Usage: rdma4j", "devices", "devinfo", "pingpong", "status", "unbind",
            "Exit codes:");
    }

    /** As they are typed, those below others too. */
    static Stream<String> commands() {
        return below(Main.commandLine(), "");
    }

    private static Stream<String> below(final CommandLine parent, final String words) {
        return parent.getSubcommands().entrySet().stream().flatMap(entry -> Stream.concat(
            Stream.of(words + entry.getKey()), below(entry.getValue(), words + entry.getKey() + " ")));
    }

    @Test
    void allCommandsAreLookedAt() {
        assertThat(commands()).contains("stat", "qp", "replay", "regs set").doesNotHaveDuplicates();
    }

    @ParameterizedTest
    @MethodSource("commands")
    void eachCommandHasHelpWithExamples(final String command) {
        final Cli.Outcome outcome = Cli.run((command + " --help").split(" "));
        assertThat(outcome.exitCode()).isZero();
        assertThat(outcome.err()).isEmpty();
        assertThat(outcome.out()).contains("Usage: rdma4j " + command, "--debug", "Exit codes:");
        assertThat(outcome.out().substring(outcome.out().indexOf("Examples:")))
            .contains("  rdma4j " + command)
            .doesNotContain("rdma4j pingpong --help");
    }

    @ParameterizedTest
    @EmptySource
    @MethodSource("commands")
    void examplesAreNotWrapped(final String command) {
        final String help = Cli.run((command + " --help").strip().split(" ")).out();
        assertThat(help.substring(help.indexOf("Examples:")).lines().skip(1))
            .isNotEmpty().allSatisfy(line -> assertThat(line).startsWith("  "));
    }

    @ParameterizedTest
    @ValueSource(strings = {"qp --help", "regs set --help", "devinfo --version", "--help", "help qp"})
    void whoAsksForHelpLosesNoTrace(final String line, @TempDir final Path folder) throws IOException {
        final Path trace = Files.writeString(folder.resolve("trace"), "of yesterday");
        final Cli.Outcome outcome = Cli.run(("--trace " + trace + " " + line).split(" "));
        assertThat(outcome.exitCode()).as(outcome.err()).isZero();
        assertThat(trace).hasContent("of yesterday");
    }

    @ParameterizedTest
    @ValueSource(strings = {"--version", "-V"})
    void versionGoesToStandardOutput(final String option) {
        final Cli.Outcome outcome = Cli.run(option);
        assertThat(outcome.exitCode()).isZero();
        assertThat(outcome.err()).isEmpty();
        assertThat(outcome.out()).startsWith("rdma4j ").contains("Java " + System.getProperty("java.version"));
    }

    @Test
    void coloursAreForTerminalsOnly() {
        assertThat(Cli.run("--help").out()).doesNotContain(ESCAPE);
        assertThat(Cli.runOnTerminal("--help").out()).contains(ESCAPE);
    }

    @Test
    void noCommandIsWrongUsage() {
        final Cli.Outcome outcome = Cli.run();
        assertThat(outcome.exitCode()).isEqualTo(2);
        assertThat(outcome.out()).isEmpty();
        assertThat(outcome.err()).contains("Missing command", "Try 'rdma4j --help'.");
    }

    @ParameterizedTest
    @CsvSource({
        "--badflag,                  Unknown option: '--badflag',  rdma4j --help",
        "devices --badflag,          Unknown option: '--badflag',  rdma4j devices --help",
        "devices surplus,            devices takes no 'surplus',    rdma4j devices --help",
        "pingpong --siz 5,           Possible solutions: --size,   rdma4j pingpong --help",
        "devinfo --jsno,             Possible solutions: --json,   rdma4j devinfo --help",
        "pingpnog,                   Did you mean: rdma4j pingpong, rdma4j --help",
        "devcies,                    rdma4j devices,               rdma4j --help",
        "devinfo -d,                 Missing required parameter,   rdma4j devinfo --help",
        "bind,                       Missing required parameter: 'ADDRESS', rdma4j bind --help",
        "bind eth0,                  'eth0' is not a PCI address,  rdma4j bind --help",
        "unbind 0b:00,               '0b:00' is not a PCI address, rdma4j unbind --help",
        "status 0b:00.1,             status takes no '0b:00.1',    rdma4j status --help",
        "devinfo emulated:, devinfo takes no 'emulated:'; a device is given with -d ADDRESS, rdma4j devinfo --help",
        "devinfo a b,                'devinfo takes no ''a'', ''b''', rdma4j devinfo --help",
        "pingpnog,                   there is no command 'pingpnog', rdma4j --help",
        "help pingpnog,              there is no command 'pingpnog', rdma4j help --help",
        "help regs ste,              there is no command 'regs ste', rdma4j help --help"
    })
    void wrongUsageSaysWhatWouldBeRight(final String line, final String expected, final String help) {
        final Cli.Outcome outcome = Cli.run(line.split(" "));
        assertThat(outcome.exitCode()).isEqualTo(2);
        assertThat(outcome.out()).isEmpty();
        assertThat(outcome.err()).startsWith("rdma4j: ").contains(expected, "Try '" + help + "'.");
    }

    @Test
    void whatIsNotLikeACommandIsNotTakenForOne() {
        assertThat(Cli.run("nonsense").errLines())
            .containsExactly("rdma4j: there is no command 'nonsense'", "Try 'rdma4j --help'.");
        assertThat(Cli.run("status", "emulated:").err()).doesNotContain("-d ADDRESS");
    }

    @ParameterizedTest
    @CsvSource({"help, --help", "help pingpong, pingpong --help", "help regs set, regs set --help"})
    void helpOfACommandIsAlsoACommand(final String line, final String same) {
        assertThat(Cli.run(line.split(" "))).isEqualTo(Cli.run(same.split(" ")));
    }

    @ParameterizedTest
    @ValueSource(strings = {"devinfo -d nosuch:", "pingpong -d nosuch:", "pingpong --json -d nosuch:"})
    void unknownDeviceIsOneLineThatNamesTheKnownOnes(final String line) {
        final Cli.Outcome outcome = Cli.run(line.split(" "));
        assertThat(outcome.exitCode()).isEqualTo(1);
        assertThat(outcome.out()).isEmpty();
        assertThat(outcome.errLines()).singleElement().asString()
            .startsWith("rdma4j: open device failed on 'nosuch:'").contains("ENODEV", "emulated:", "fake:");
    }

    @ParameterizedTest
    @ValueSource(strings = {"serve --socket no-such-socket -d emulated:?gid=fe80::1",
        "regs --no-init -d emulated:?timeout=100", "config --no-init -d emulated:?vectors=0"})
    void whoLeavesTheDriverToOthersTakesNoOptionOfIt(final String line) {
        final Cli.Outcome outcome = Cli.run(line.split(" "));
        assertThat(outcome.exitCode()).isEqualTo(1);
        assertThat(outcome.errLines()).singleElement().asString().containsPattern("option '(gid|timeout|vectors)'")
            .contains("without a driver", "EINVAL", "leave it out").doesNotContain("unknown");
    }

    @ParameterizedTest
    @ValueSource(strings = {"devinfo", "pingpong"})
    void addressWithoutSchemeIsOneLine(final String command) {
        final Cli.Outcome outcome = Cli.run(command, "-d", "0b:00.1");
        assertThat(outcome.exitCode()).isEqualTo(1);
        assertThat(outcome.errLines()).singleElement().asString().contains("0b:00.1", "EINVAL", "vfio:0000:0b:00.1");
    }

    @Test
    void failureOfSeveralLinesIsToldInOne() {
        final Cli.Outcome outcome = Cli.run("pingpong", "-d", "fake:twice", "-d", "fake:twice?after=1");
        assertThat(outcome.exitCode()).isEqualTo(1);
        assertThat(outcome.errLines()).singleElement().asString().contains("it is in use [EBUSY]; close it");
    }

    /** Such as those of a jar whose name this Java cannot read. */
    @Test
    void providersThatCannotBeLoadedAreToldInOneSentence(@TempDir final Path folder) throws IOException {
        Files.writeString(Files.createDirectories(folder.resolve("META-INF/services"))
            .resolve(VerbsProvider.class.getName()), "no.such.Provider");
        final Thread thread = Thread.currentThread();
        final ClassLoader before = thread.getContextClassLoader();
        try (URLClassLoader broken = new URLClassLoader(new URL[] {folder.toUri().toURL()}, before)) {
            thread.setContextClassLoader(broken);
            final Cli.Outcome outcome = Cli.run("devices");
            assertThat(outcome.exitCode()).isEqualTo(1);
            assertThat(outcome.errLines()).singleElement().asString()
                .contains("internal error", "no.such.Provider", "--debug");
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    @Test
    void aJvmWithoutTheOptionThatAgronaNeedsIsToldInOneSentence() throws IOException, InterruptedException {
        final Ended ended = Ended.of(List.of(OtherJvm.java(), "-cp", OtherJvm.classPath(),
            Main.class.getName(), "pingpong", "-d", "fake:", "-n", "1"));
        assertThat(ended.code()).as("%s", ended.output()).isEqualTo(1);
        assertThat(ended.lines()).singleElement().asString().startsWith("rdma4j: ")
            .contains("./rdma4j", "--add-opens java.base/jdk.internal.misc=ALL-UNNAMED");
    }

    /** What it prints is read by scripts, too. */
    @Test
    void numbersAreTheSameInEveryLanguage() throws Exception {
        final Ended ended = Ended.of(OtherJvm.command(
            List.of("-Duser.language=fa", "-Duser.country=IR"), Main.class, "devinfo", "-l"));
        assertThat(ended.output()).matches("(?s)[0-9]+ HCAs? found:.*");
    }

    /** A process of its own, whose output the shell leads elsewhere. */
    private static Cli.Outcome redirected(final String line, final String redirection) throws Exception {
        final Path err = Files.createTempFile("rdma4j-err", "");
        try {
            final List<String> command = new ArrayList<>(
                List.of("bash", "-c", redirection.replace("COMMAND", "\"$@\""), "bash"));
            command.addAll(OtherJvm.command(List.of(), Main.class, line.split(" ")));
            final Process process = new ProcessBuilder(command).redirectError(err.toFile()).start();
            final String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(Patience.ends(process)).as(out).isTrue();
            return new Cli.Outcome(process.exitValue(), out, Files.readString(err));
        } finally {
            Files.delete(err);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"devices --json", "--help", "stat --prometheus", "stat --json --interval 0.001"})
    void whatCannotBeWrittenIsAFailure(final String line) throws Exception {
        try (RdmaContext context = RdmaDevices.open("emulated:full-disk")) {
            final String of = line.startsWith("stat") ? " -d " + context.address() : "";
            final Cli.Outcome outcome = redirected(line + of, "COMMAND >/dev/full");
            assertThat(outcome.errLines()).singleElement().asString().startsWith("rdma4j: standard output lacks")
                .contains("No space left on device");
            assertThat(outcome.exitCode()).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"devices --json", "--help"})
    void whatNobodyWantsToReadIsNone(final String line, @TempDir final Path folder) throws Exception {
        final Path pipe = folder.resolve("pipe");
        final Cli.Outcome outcome = redirected(line,
            "mkfifo " + pipe + "; exec 3<>" + pipe + " 4>" + pipe + "; exec 3>&-; COMMAND >&4");
        assertThat(outcome).isEqualTo(new Cli.Outcome(0, "", ""));
    }

    static Stream<Arguments> errors() {
        return Stream.of(Arguments.of(new OutOfMemoryError("Java heap space"), "RDMA4J_OPTS=-Xmx"),
            Arguments.of(new InternalError("a fault occurred in an unsafe memory access operation"), "taken away"),
            Arguments.of(new StackOverflowError(), "internal error: java.lang.StackOverflowError"));
    }

    @ParameterizedTest
    @MethodSource("errors")
    void whatTheJvmLacksIsToldInOneLine(final Error error, final String expected) {
        final StringWriter err = new StringWriter();
        final PrintWriter broken = new PrintWriter(new StringWriter()) {
            @Override
            public void write(final String text, final int offset, final int length) {
                throw error;
            }
        };
        assertThat(Main.run(new Terminal(broken, new PrintWriter(err), false, false), "devinfo")).isEqualTo(1);
        assertThat(err.toString().lines()).singleElement().asString().startsWith("rdma4j: ").contains(expected);
    }

    @ParameterizedTest
    @ValueSource(strings = {"--debug devinfo -d nosuch:", "devinfo -d nosuch: --debug"})
    void debugAddsTheStackTrace(final String line) {
        final Cli.Outcome outcome = Cli.run(line.split(" "));
        assertThat(outcome.exitCode()).isEqualTo(1);
        assertThat(outcome.errLines().get(0)).startsWith("rdma4j: open device failed");
        assertThat(outcome.err()).contains("\tat io.rdma4j.verbs.RdmaDevices.open");
    }
}
