/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

import static org.assertj.core.api.Assertions.assertThat;

/** What the build writes for man(1). */
@Tag("sources")
@Timeout(60)
class ManPagesTest {
    @TempDir
    private Path folder;

    @Test
    void thereIsOneForEachCommand() throws IOException {
        final CommandLine rdma4j = Main.commandLine();
        ManPages.main(new String[] {folder.toString()});
        try (Stream<Path> files = Files.list(folder)) {
            final List<String> names = files.map(file -> file.getFileName().toString()).toList();
            assertThat(names).contains("rdma4j.1");
            rdma4j.getSubcommands().values().stream().map(CommandLine::getCommandSpec)
                .filter(spec -> !spec.usageMessage().hidden())
                .forEach(spec -> assertThat(names).contains("rdma4j-" + spec.name() + ".1"));
        }
    }

    @Test
    void aPageHasWhatTheHelpHas() throws IOException {
        ManPages.main(new String[] {folder.toString()});
        final String page = Files.readString(folder.resolve("rdma4j-devinfo.1"));
        assertThat(page).startsWith(".TH \"RDMA4J\\-DEVINFO\" \"1\"")
            .contains(".SH \"SYNOPSIS\"", "\\-\\-verbose", "Default: emulated:", ".SH \"EXIT STATUS\"",
                ".SH \"EXAMPLES\"", "\\fBrdma4j\\fR(1)")
            .doesNotContain("${", "@|", "%n");
    }

    /** In roff a line that begins with a full stop or an apostrophe is a request. */
    @Test
    void textIsNoRequest() throws IOException {
        ManPages.main(new String[] {folder.toString()});
        try (Stream<Path> files = Files.list(folder)) {
            for (final Path file : files.toList()) {
                assertThat(Files.readAllLines(file)).as("%s", file)
                    .filteredOn(line -> line.startsWith(".") || line.startsWith("'"))
                    .allMatch(line -> line.matches("\\.(TH .*|SH \".*\"|TP|nf|fi|sp)"));
            }
        }
    }
}
