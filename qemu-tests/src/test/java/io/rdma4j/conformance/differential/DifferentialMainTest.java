/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.conformance.differential;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.tools.replay.DiffRecording;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

@Timeout(60)
class DifferentialMainTest {
    private static final String DEVICE = "emulated:differential";

    @TempDir
    private Path folder;

    @Test
    void theProgramWritesARecording() throws IOException {
        final Path file = folder.resolve("recording.txt");
        final Path script = Files.writeString(folder.resolve("script.txt"), "rdma4j-script 1\nCAPS\n");
        assertThat(run(DEVICE, "--script", script.toString(), "--results", file.toString())).startsWith("0");
        assertThat(DiffRecording.parse(Files.readString(file)).entries()).hasSize(1);
        assertThat(run(DEVICE, "--script", script.toString())).contains("1 ", "2: CAPS", "  version=20");
    }

    @Test
    void theProgramRefusesWrongArguments() {
        assertThat(run()).startsWith("2").contains("usage");
        assertThat(run("a:", "b:")).startsWith("2").contains("'b:'");
        assertThat(run("--nosuch")).startsWith("2").contains("'--nosuch'");
        assertThat(run("emulated:", "--gid")).startsWith("2").contains("--gid needs a value");
        assertThat(run("nosuch:")).startsWith("1").contains("nosuch");
        assertThat(run(DEVICE, "--script", "/nosuch")).startsWith("1").contains("/nosuch");
    }

    private static String run(final String... args) {
        final ByteArrayOutputStream out = new ByteArrayOutputStream();
        final int code = DifferentialMain.run(args, new PrintStream(out, true, StandardCharsets.UTF_8));
        return code + " " + out.toString(StandardCharsets.UTF_8);
    }
}
