/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** The script that completes, in the shell that it is for. */
@Timeout(60)
class CompletionCommandTest {
    @TempDir
    private Path folder;

    private String complete(final String line, final String word) throws IOException, InterruptedException {
        final Path script = folder.resolve("rdma4j.bash");
        Files.writeString(script, Cli.run("completion").out());
        final String words = "COMP_WORDS=(" + line + " '" + word + "'); COMP_CWORD=$((${#COMP_WORDS[@]} - 1))";
        final Process bash = new ProcessBuilder("bash", "-c", "compopt() { :; }; source " + script + "; " + words
            + "; _complete_rdma4j; printf '%s\\n' \"${COMPREPLY[@]}\"").redirectErrorStream(true).start();
        assertThat(bash.waitFor(30, TimeUnit.SECONDS)).isTrue();
        return new String(bash.getInputStream().readAllBytes());
    }

    @Test
    void completesCommands() throws IOException, InterruptedException {
        assertThat(complete("rdma4j", "dev").lines()).containsExactlyInAnyOrder("devices", "devinfo");
    }

    @Test
    void completesOptions() throws IOException, InterruptedException {
        assertThat(complete("rdma4j devinfo", "--ver")).contains("--verbose");
    }
}
