/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.rdma4j.verbs.RdmaContext;
import io.rdma4j.verbs.RdmaDevices;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The commands that look into devices, on the emulated device. */
class DumpCommandsTest {
    private static final String OWN_PID = Long.toString(ProcessHandle.current().pid());
    private static final String JUST_OPENED = "rdma4j: this device was opened for the report and is empty; ";

    @TempDir
    Path folder;

    private static Cli.Outcome succeed(final String... args) {
        final Cli.Outcome outcome = Cli.run(args);
        assertThat(outcome.exitCode()).as(outcome.err()).isZero();
        assertThat(outcome.errLines()).allMatch(line -> line.startsWith(JUST_OPENED));
        return outcome;
    }

    @ParameterizedTest
    @CsvSource({
        "config,   MSI-X             Enable+,    capabilities",
        "regs,     VERSION,                      registers",
        "dsr,      ring of completion notices,   region",
        "caps,     ROCE_V2,                      caps",
        "gid,      fe80:0000:0000:0000:,         gids",
        "cmd,      CREATE_BIND,                  commands",
        "counters, asynchronous events,          counters",
        "errors,   (none),                       errors"
    })
    void eachSectionOfADeviceThatWorks(final String name, final String word, final String member) {
        final Cli.Outcome outcome = succeed(name, "-d", "emulated:dump-" + name);
        assertThat(outcome.out().replaceAll(" +", " ")).contains("emulated:dump-" + name, name + ": ",
            word.replaceAll(" +", " "));
        assertThat(outcome.outLines()).as("nothing is wrong with it").noneMatch(line -> line.startsWith("!"));
        final JsonObject json = succeed(name, "--json").json();
        assertThat(json.get("rdma4j_dump").getAsInt()).isEqualTo(1);
        assertThat(json.getAsJsonObject("sections").getAsJsonObject(name).has(member)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"dsr", "caps", "gid", "cmd", "counters", "errors", "regs"})
    void ofAnOpenDeviceOfAProcess(final String name) {
        try (RdmaContext context = RdmaDevices.open("emulated:dump-open")) {
            final Cli.Outcome outcome = succeed(name, "--pid", OWN_PID, "-d", "emulated:dump-open");
            assertThat(outcome.out()).contains("live", name + ": ");
            assertThat(outcome.outLines()).noneMatch(line -> line.startsWith("!"));
            assertThat(context.isClosed()).isFalse();
        }
    }

    /** Nobody takes a device that was opened for the report for that of a program. */
    @Test
    void anEmulatedDeviceThatWasJustOpenedIsSaidToBeEmpty() {
        try (RdmaContext context = RdmaDevices.open("emulated:dump-other")) {
            final Cli.Outcome outcome = Cli.run("qp", "-d", "emulated:dump-fresh", "--json");
            assertThat(outcome.exitCode()).isZero();
            assertThat(outcome.errLines()).singleElement().asString().startsWith(
                JUST_OPENED + "--pid N looks into a running process (N is one of ").contains(OWN_PID)
                .endsWith("), --sample makes objects");
            assertThat(outcome.json().has("sections")).isTrue();
            assertThat(Cli.run("qp", "--pid", OWN_PID, "-d", context.address()).err()).isEmpty();
            assertThat(Cli.run("qp", "-d", "emulated:dump-fresh", "--sample").err()).isEmpty();
        }
    }

    /** A sample is of verbs, which have no such caches. */
    @Test
    void cachesAreSaidToBeThoseOfProcesses() {
        assertThat(succeed("cache", "--help").out()).contains("--pid").doesNotContain("rdma4j cache --sample");
    }

    @Test
    void registersOfAProcessAreItsOwnWords() {
        try (RdmaContext context = RdmaDevices.open("emulated:dump-shadow")) {
            final JsonObject shadow = succeed("regs", "--json", "--pid", OWN_PID, "-d", context.address()).json();
            assertThat(shadow.toString()).contains("what the process last wrote and read");
        }
    }

    @Test
    void rawAddsAHexDump() {
        assertThat(succeed("config", "--raw").out()).contains("00000000 ad 15 20 08");
        assertThat(succeed("dsr", "--raw").out()).contains("shared region at 0x");
        assertThat(succeed("config").out()).doesNotContain("00000000 ad 15");
    }

    @Test
    void aFunctionThatWasNotBroughtUp() {
        assertThat(succeed("regs", "--no-init").out()).contains("not brought up", "VERSION");
        assertThat(succeed("config", "--no-init").out()).contains("BusMaster-", "memory decoding is off");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "regs --pid 1 --sample          | --sample is for a device of one's own",
        "regs --pid 1 --icr             | --icr is for a device of one's own",
        "regs --pid 1 --no-init         | --no-init is for a device of one's own",
        "regs -d emulated: set IMR 1 --yes | --device stands before 'set', where it has no effect; give it behind",
        "regs --pid 1 set IMR 1 --yes   | --pid stands before 'set'",
        "regs --no-init set IMR 1 --yes | --no-init stands before 'set'",
        "dump --all x --json            | leave --json out, or name the sections",
        "regs set IMR 1 --yes --pid 1   | regs set is for a device of one's own",
        "config --no-init --sample      | --sample needs a device that was brought up",
        "regs --pid 0                   | '0' is not a process id",
        "regs --pid x                   | 'x' is not a process id",
        "cmd -n 0                       | '0' is not a number from 1 to 256",
        "regs set NOPE 1                | 'NOPE' is no register",
        "regs set IMR 0x100000000       | '0x100000000' is not a number from 0 to 0xffffffff",
        "regs set IMR -1                | '-1'",
        "regs set IMR 010               | '010' is not a number",
        "regs set IMR                   | Missing required parameter: 'VALUE'",
        "regs set VERSION 1 --yes       | VERSION cannot be written; those that can are DSRLOW",
        "regs set ICR 1 --yes           | ICR cannot be written",
        "regs set CTL 2                 | CTL was not written: with 0x2 2 (RESET) makes the device forget",
        "regs set imr 1                 | IMR was not written",
        "dump nope                      | 'nope' is no section; there are config, regs",
        "show                           | Missing required parameter: 'FILE'"
    })
    void wrongUsageSaysWhatWouldBeRight(final String line, final String expected) {
        final Cli.Outcome outcome = Cli.run(line.trim().split(" +"));
        assertThat(outcome.exitCode()).as(outcome.err()).isEqualTo(2);
        assertThat(outcome.out()).isEmpty();
        assertThat(outcome.err()).startsWith("rdma4j: ").contains(expected, "--help'");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "regs -d fake:                  | it is no pvrdma device",
        "regs --no-init -d nosuch:      | no provider for scheme 'nosuch'",
        "caps -d nosuch:                | ENODEV",
        "caps --pid 4194304             | ESRCH",
        "show /no/such/file             | ENOENT",
        "show /                         | it is a folder"
    })
    void whatFailsIsOneLine(final String line, final String expected) {
        final Cli.Outcome outcome = Cli.run(line.trim().split(" +"));
        assertThat(outcome.exitCode()).as(outcome.err()).isEqualTo(1);
        assertThat(outcome.out()).isEmpty();
        assertThat(outcome.errLines()).singleElement().asString().startsWith("rdma4j: ").contains(expected)
            .doesNotContain("internal error");
    }

    @Test
    void aProcessWithoutADeviceIsToldSo() {
        final Cli.Outcome outcome = Cli.run("gid", "--pid", OWN_PID, "-d", "emulated:nobody-opened-this");
        assertThat(outcome.exitCode()).isEqualTo(1);
        assertThat(outcome.errLines()).singleElement().asString().contains("ENODEV");
    }

    @Test
    void setWritesAndReadsBack() {
        final Cli.Outcome outcome = succeed("regs", "set", "IMR", "0x5", "--yes", "--no-init", "--json");
        assertThat(outcome.json().get("register").getAsString()).isEqualTo("IMR");
        assertThat(outcome.json().get("written").getAsString()).isEqualTo("0x00000005");
        assertThat(outcome.json().get("reads").getAsString()).isEqualTo("0x00000005");
        assertThat(succeed("regs", "set", "imr", "7", "--yes").out()).contains("written   0x00000007");
    }

    @Test
    void aReportShowsTheSameElsewhere() throws IOException {
        final Path file = folder.resolve("report.json");
        final Cli.Outcome written = Cli.run("dump", "--all", file.toString(), "--raw");
        assertThat(written.exitCode()).as(written.err()).isZero();
        assertThat(written.out()).isEmpty();
        assertThat(written.err()).contains("wrote " + file);
        final String text = succeed("show", file.toString()).out();
        for (final String section : List.of("config", "regs", "dsr", "caps", "gid", "cmd", "counters", "errors")) {
            assertThat(text).contains("\n  " + section + ": ");
        }
        assertThat(text).contains("00000000 ad 15 20 08");
        assertThat(succeed("show", file.toString(), "--json").out().strip())
            .isEqualTo(Files.readString(file).strip());
    }

    /** What is printed beside it takes nothing from the file. */
    @Test
    void theFileHasAllSectionsWhicheverArePrinted() throws IOException {
        final Path file = folder.resolve("whole.json");
        final Cli.Outcome outcome = Cli.run("dump", "gid", "--all", file.toString(), "--sample", "--json");
        assertThat(outcome.exitCode()).as(outcome.err()).isZero();
        assertThat(outcome.json().getAsJsonObject("sections").keySet()).containsExactly("gid");
        final JsonObject written = JsonParser.parseString(Files.readString(file)).getAsJsonObject();
        assertThat(written.getAsJsonObject("sections").keySet())
            .containsExactlyElementsOf(new DumpAllCommand.SectionNames());
    }

    @Test
    void whatJsonPrintsCanBeShown() throws IOException {
        final Path file = folder.resolve("one.json");
        Files.writeString(file, succeed("caps", "--json").out());
        assertThat(succeed("show", file.toString()).out()).contains("caps: ", "fw_ver");
    }

    @Test
    void severalSectionsAtOnce() {
        final Cli.Outcome outcome = succeed("dump", "gid", "caps");
        assertThat(outcome.out()).containsSubsequence("gid: ", "caps: ").doesNotContain("regs: ");
    }

    @Test
    void withoutAnOperandTheOpenDevicesAreListed() {
        try (RdmaContext context = RdmaDevices.open("emulated:dump-list")) {
            assertThat(succeed("dump").out()).containsPattern(OWN_PID + " +" + context.address() + " +live");
            assertThat(succeed("dump", "--json").out()).contains("\"address\": \"emulated:dump-list\"");
        }
        assertThat(Cli.run("dump").out()).doesNotContain("emulated:dump-list");
    }

    @Test
    void whoNamesADeviceWantsAllOfIt() {
        for (final String option : List.of("--raw", "--sample", "--device=emulated:dump-whole")) {
            assertThat(succeed("dump", option).out()).containsSubsequence("config: ", "regs: ", "counters: ");
        }
        assertThat(Cli.run("dump", "--pid", "4194303").err()).contains("4194303");
    }

    @Test
    void aDumpLeavesTheDeviceClosed() {
        for (int i = 0; i < 3; i++) {
            succeed("regs", "-d", "emulated:dump-again");
            succeed("config", "-d", "emulated:dump-again", "--no-init");
        }
    }
}
