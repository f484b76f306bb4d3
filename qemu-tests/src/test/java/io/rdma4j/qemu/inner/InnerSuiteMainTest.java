/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.inner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.qemu.guest.GuestException;
import io.rdma4j.qemu.guest.ResultWriter;
import org.junit.jupiter.api.Test;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** What is copied of the suite's report, which came by a console that others write to. */
class InnerSuiteMainTest {
    private static final String COMPLETE = "RESULT conformanceReportIsComplete ";

    private static List<String> copy(final int code, final String... lines) {
        final ByteArrayOutputStream console = new ByteArrayOutputStream();
        try (ResultWriter results =
            new ResultWriter(Writer.nullWriter(), new PrintStream(console, true, StandardCharsets.UTF_8))) {
            InnerSuiteMain.copy(List.of(lines), code, results);
        }
        return console.toString(StandardCharsets.UTF_8).lines().toList();
    }

    @Test
    void takesOverWhatTheSuiteReported() {
        assertThat(copy(1, "INFO version=17", "RESULT a PASS", "TIME a 3 ms", "RESULT b FAIL why", "DETAIL b ring 1",
            "RESULT c SKIP no atomics", "1 passed, 1 failed, 1 skipped", "INFO millis=5", "DONE 1"))
            .contains("INFO version=17", "RESULT a PASS", "RESULT b FAIL why", "DETAIL b ring 1",
                "RESULT c SKIP no atomics").anyMatch(line -> line.startsWith(COMPLETE + "PASS"))
            .last().isEqualTo("2 passed, 1 failed, 1 skipped");
    }

    @Test
    void noticesAFailureWhoseLineWasDamaged() {
        assertThat(copy(1, "RESULT a PASS", "RESULT b FA[  31.2] BUG", "1 passed, 1 failed, 0 skipped"))
            .filteredOn(line -> line.startsWith(COMPLETE)).singleElement().asString().contains("FAIL",
                "exit code 1", "copied 1 passed, 0 failed, 0 skipped", "1 passed, 1 failed, 0 skipped");
    }

    @Test
    void noticesThatTheSumIsMissing() {
        assertThat(copy(0, "RESULT a PASS")).anyMatch(line -> line.startsWith(COMPLETE + "FAIL"));
    }

    @Test
    void noticesAnExitCodeThatSaysSomethingElse() {
        assertThat(copy(1, "RESULT a PASS", "1 passed, 0 failed, 0 skipped"))
            .anyMatch(line -> line.startsWith(COMPLETE + "FAIL"));
        assertThat(copy(0, "RESULT a FAIL", "0 passed, 1 failed, 0 skipped"))
            .anyMatch(line -> line.startsWith(COMPLETE + "FAIL"));
    }

    @Test
    void reportsWhatFailedInASuiteThatDoesNotEnd() {
        final ByteArrayOutputStream console = new ByteArrayOutputStream();
        try (ResultWriter results =
            new ResultWriter(Writer.nullWriter(), new PrintStream(console, true, StandardCharsets.UTF_8))) {
            assertThat(InnerSuiteMain.endOf(() -> 1, () -> List.of("RESULT c FAIL"), results)).isOne();
            final GuestException lost = new GuestException("lost");
            assertThatThrownBy(() -> InnerSuiteMain.endOf(() -> {
                throw lost;
            }, () -> List.of("RESULT a PASS", "RESULT b FAIL why", "DETAIL b ring 1"), results)).isSameAs(lost);
        }
        assertThat(console.toString(StandardCharsets.UTF_8).lines())
            .containsExactly("RESULT b FAIL why", "0 passed, 1 failed, 0 skipped");
    }
}
