/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

class ConformanceMainTest {
    @TempDir
    private Path folder;

    private int code;

    private List<String> run(final String... args) {
        final ByteArrayOutputStream out = new ByteArrayOutputStream();
        code = ConformanceMain.run(args, new PrintStream(out, true, StandardCharsets.UTF_8));
        return out.toString(StandardCharsets.UTF_8).lines().toList();
    }

    @Test
    void writesALineForEachCaseAndASummaryLast() {
        final List<String> lines = run("emulated:main", "--only", "pd.", "--effort", "quick");
        assertThat(code).isZero();
        assertThat(lines).contains("RESULT pd.manyAtOnce PASS", "INFO address=emulated:main", "INFO version=20")
            .noneMatch(line -> line.startsWith("RESULT rc."))
            .anyMatch(line -> line.startsWith("INFO messages=")).anyMatch(line -> line.startsWith("INFO fw_ver="));
        assertThat(lines.get(lines.size() - 1)).isEqualTo("5 passed, 0 failed, 0 skipped");
    }

    @Test
    void writesTheSameLinesIntoAFile() throws IOException {
        final Path file = folder.resolve("results.txt");
        final List<String> lines = run("emulated:main", "--only", "qp.begins*", "--results", file.toString());
        assertThat(Files.readAllLines(file)).isEqualTo(lines);
    }

    @Test
    void namesTwoDevices() {
        assertThat(run("emulated:main", "--peer", "emulated:other", "--only", "rc.emptyMessage"))
            .contains("INFO peer=emulated:other", "RESULT rc.emptyMessage PASS", "INFO messages=2");
        assertThat(code).isZero();
    }

    @Test
    void saysInOneLineWhyADeviceCannotBeOpened() {
        final List<String> lines = run("nosuch:device");
        assertThat(code).isEqualTo(1);
        assertThat(lines).hasSize(2);
        assertThat(lines.get(0)).startsWith("RESULT device FAIL open device failed on 'nosuch:device'");
    }

    @Test
    void failsWhenNothingIsRun() {
        assertThat(run("emulated:main", "--only", "nosuch")).contains("0 passed, 0 failed, 0 skipped");
        assertThat(code).isEqualTo(1);
    }

    @Test
    void listsItsCasesWithoutADevice() {
        assertThat(run("--list")).contains("rc.pingPong", "device.opensAgainAfterClose").hasSizeGreaterThan(100);
        assertThat(code).isZero();
    }

    @Test
    void leavesCasesOut() {
        final List<String> all = run("--list");
        assertThat(run("--list", "--only", "!rdm.,ngPo")).containsExactlyElementsOf(all.stream()
            .filter(name -> !name.startsWith("rdm.") && !name.contains("ngPo")).toList());
        assertThat(run("--list", "--only", "rdm.,ngPo")).containsExactlyElementsOf(all.stream()
            .filter(name -> name.contains("rdm.") || name.contains("ngPo")).toList());
        assertThat(run("--list", "--only", "!")).isEmpty();
    }

    @Test
    void refusesWrongArguments() {
        for (final String[] args : new String[][] {
            {}, {"--nosuch"}, {"a:", "b:"}, {"a:", "--only"}, {"a:", "--effort", "much"}, {"a:", "--patience", "0"}}) {
            assertThat(run(args)).anyMatch(line -> line.startsWith("usage:"));
            assertThat(code).isEqualTo(2);
        }
    }
}
