/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools;

import io.rdma4j.testing.Patience;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

/** The script that completes, in the shell that it is for. */
@Timeout(60)
class CompletionCommandTest {
    @TempDir
    private Path folder;

    private String complete(final String line, final String word) throws IOException, InterruptedException {
        return run(Cli.run("completion").out(), "COMP_WORDS=(" + line + " '" + word
            + "'); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _complete_rdma4j");
    }

    /** As the shell does it: words end at colons and equals signs, too. */
    private List<String> press(final String line) throws IOException, InterruptedException {
        final String words = line.replaceAll("[:=]", " $0 ") + (line.endsWith(" ") ? "''" : "");
        final String script = Cli.run("completion").out().replace("/sys/", folder + "/sys/");
        return run(script, "COMP_LINE='" + line + "'; COMP_POINT=${#COMP_LINE}; COMP_WORDS=(" + words
            + "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); $(complete -p rdma4j | sed 's/.*-F \\([^ ]*\\).*/\\1/')")
            .lines().filter(answer -> !answer.isEmpty()).toList();
    }

    private String run(final String text, final String commands) throws IOException, InterruptedException {
        final Path script = folder.resolve("rdma4j.bash");
        Files.writeString(script, text);
        final Process bash = new ProcessBuilder("bash", "-c", "compopt() { :; }; source " + script + "; " + commands
            + "; printf '%s\\n' \"${COMPREPLY[@]}\"").redirectErrorStream(true).start();
        assertThat(Patience.ends(bash)).isTrue();
        return new String(bash.getInputStream().readAllBytes());
    }

    private void bound(final String address, final String vendor, final String device) throws IOException {
        final Path function = Files.createDirectories(folder.resolve("sys/bus/pci/drivers/vfio-pci/" + address));
        Files.writeString(function.resolve("vendor"), "0x" + vendor + "\n");
        Files.writeString(function.resolve("device"), "0x" + device + "\n");
    }

    @Test
    void completesCommands() throws IOException, InterruptedException {
        assertThat(complete("rdma4j", "dev").lines()).containsExactlyInAnyOrder("devices", "devinfo");
    }

    @Test
    void completesOptions() throws IOException, InterruptedException {
        assertThat(complete("rdma4j devinfo", "--ver")).contains("--verbose");
    }

    @ParameterizedTest
    @ValueSource(strings = {"devinfo -d ", "devinfo -v --device  ", "devinfo --device=", "perf send_lat --ib-dev ",
        "fi_info --domain=", "regs set -d "})
    void completesAddressesOfDevices(final String line) throws IOException, InterruptedException {
        assertThat(press("rdma4j " + line)).containsExactly("emulated:");
        bound("0000:0b:00.1", "15ad", "0820");
        bound("0000:0c:00.0", "8086", "10d3");
        Files.createFile(folder.resolve("sys/bus/pci/drivers/vfio-pci/bind"));
        assertThat(press("rdma4j " + line)).containsExactly("emulated:", "vfio:0000:0b:00.1");
        assertThat(press("rdma4j " + line + "vf")).containsExactly("vfio:0000:0b:00.1");
        assertThat(press("rdma4j " + line + "x")).isEmpty();
    }

    /** bash replaces what follows the last colon only. */
    @Test
    void colonsOfAnAddressStayAsTheyAreTyped() throws IOException, InterruptedException {
        bound("0000:0b:00.1", "15ad", "0820");
        assertThat(press("rdma4j devinfo -d vfio:")).containsExactly("0000:0b:00.1");
        assertThat(press("rdma4j devinfo -d vfio:0000:0b")).containsExactly("0b:00.1");
    }

    @Test
    void whatFollowsAnAddressIsCompletedAsEver() throws IOException, InterruptedException {
        assertThat(press("rdma4j devinfo -d emulated: --ver")).containsExactly("--verbose", "--version");
        assertThat(press("rdma4j dev")).containsExactlyInAnyOrder("devices", "devinfo");
    }

    @Test
    void completesTests() throws IOException, InterruptedException {
        assertThat(press("rdma4j perf send")).containsExactly("send_lat", "send_bw");
    }

    /** Names of constants in Java are not always those that are typed. */
    @Test
    void whatIsOfferedIsTaken() {
        assertTaken(Main.commandLine());
    }

    private static void assertTaken(final CommandLine command) {
        for (final ArgSpec argument : command.getCommandSpec().args()) {
            if (argument.completionCandidates() != null && argument.converters().length > 0) {
                for (final String candidate : argument.completionCandidates()) {
                    assertThatCode(() -> argument.converters()[0].convert(candidate))
                        .as("%s of %s", candidate, argument).doesNotThrowAnyException();
                }
            }
        }
        for (final CommandLine subcommand : command.getSubcommands().values()) {
            assertTaken(subcommand);
        }
    }
}
