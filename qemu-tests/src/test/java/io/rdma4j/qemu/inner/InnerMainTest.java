/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.inner;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.qemu.guest.GuestResult;
import org.junit.jupiter.api.Test;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/** When the suite is tried once more. */
class InnerMainTest {
    private static final GuestResult GOOD = result(0, "RESULT a PASS", "1 passed, 0 failed, 0 skipped");
    private static final String LOST = "RESULT " + InnerSuiteMain.LOST + " FAIL it hangs";

    private final ByteArrayOutputStream progress = new ByteArrayOutputStream();

    private static GuestResult result(final int exitCode, final String... report) {
        return new GuestResult(exitCode, List.of(report), Path.of("none"), Duration.ZERO);
    }

    private GuestResult again(final GuestResult... attempts) {
        final Deque<GuestResult> left = new ArrayDeque<>(List.of(attempts));
        return InnerMain.again(left::remove, "unit", new PrintStream(progress, true, StandardCharsets.UTF_8));
    }

    @Test
    void aSuiteWhoseMachineWasLostIsRunOnceMore() {
        assertThat(again(result(1, "RESULT a PASS", LOST, "1 passed, 1 failed, 0 skipped"), GOOD)).isSameAs(GOOD);
        assertThat(progress.toString(StandardCharsets.UTF_8)).startsWith(GuestResult.RETRIED + "unit: it hangs");
    }

    @Test
    void whatFailedBeforeTheMachineWasLostStays() {
        final GuestResult first = result(1, "RESULT a FAIL why", LOST, "0 passed, 2 failed, 0 skipped");
        assertThat(again(first, GOOD)).isSameAs(first);
        assertThat(progress.size()).isZero();
    }

    @Test
    void aSuiteThatFailsByItselfIsNotRunAgain() {
        final GuestResult first = result(1, "RESULT a FAIL why", "0 passed, 1 failed, 0 skipped");
        assertThat(again(first, GOOD)).isSameAs(first);
        assertThat(again(GOOD, first)).isSameAs(GOOD);
    }
}
