/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.guest;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

class ResultWriterTest {
    @TempDir
    private Path folder;

    private final ByteArrayOutputStream console = new ByteArrayOutputStream();

    private ResultWriter open() throws IOException {
        return new ResultWriter(Files.newBufferedWriter(folder.resolve(ResultWriter.FILE_NAME)),
            new PrintStream(console, true, StandardCharsets.UTF_8));
    }

    private GuestResult read() throws IOException {
        return GuestResult.read(folder, 0, Duration.ofMillis(1500));
    }

    @Test
    void isReadBackByTheHost() throws IOException {
        try (ResultWriter results = open()) {
            results.pass("a", "seen");
            results.fail("b", "expected 1\nseen 2");
            results.skip("c", "no atomics");
            results.info("version", 17);
            assertThat(results.failures()).isEqualTo(1);
        }
        final GuestResult result = read();
        assertThat(result.complete()).isTrue();
        assertThat(result.results()).extracting(ResultLine::name).containsExactly("a", "b", "c");
        assertThat(result.info("version")).contains("17");
        assertThat(result.info("fw_ver")).isEmpty();
        assertThat(result.count(ResultLine.Status.FAIL)).isEqualTo(1);
        assertThat(result.summary()).contains("exit code 0, 1 passed, 1 failed, 1 skipped, 1.5 s");
        assertThat(console.toString(StandardCharsets.UTF_8)).contains("RESULT a PASS seen");
    }

    @Test
    void linesOutliveACrashAndTheHostSeesThatSomeMayBeMissing() throws IOException {
        final ResultWriter results = open();
        results.pass("a", "");
        assertThat(read().results()).hasSize(1);
        assertThat(read().complete()).isFalse();
        assertThat(read().summary()).contains("report cut off");
        results.close();
        results.close();
        assertThat(read().complete()).isTrue();
    }

    @Test
    void noticesAnOutcomeThatIsMissingInTheMiddle() throws IOException {
        Files.writeString(folder.resolve(ResultWriter.FILE_NAME), String.join("\n",
            "RESULT a PASS", "RESULT b FAIL why", "DETAIL b ring 1",
            "DETAIL b ring 2", "3 passed, 1 failed, 0 skipped"));
        assertThat(read().complete()).isFalse();
        assertThat(read().details("b")).containsExactly("ring 1", "ring 2");
        assertThat(read().details("a")).isEmpty();
    }

    @Test
    void aCommandThatReportsNothingIsNotComplete() throws IOException {
        assertThat(read().results()).isEmpty();
        assertThat(read().complete()).isFalse();
        assertThat(read().summary()).contains("no report");
    }
}
