/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.conformance.ConformanceResult.Outcome;
import io.rdma4j.qemu.guest.GuestResult;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** What holds for each run of the suite on a device that docs/judged.md is about. */
final class Judged {
    private static final Path DOCUMENT = Path.of("../docs/judged.md");
    private static final String PECULIARITY = "INFO peculiarity=";

    private Judged() {
    }

    static void requireCounted(final GuestResult run) throws IOException {
        final List<ConformanceResult> results = ConformanceResult.parse(run.report());
        final long passed = results.stream().filter(one -> one.outcome() == Outcome.PASS).count();
        assertThat(Files.readString(DOCUMENT)).contains(passed + " of " + results.size() + " cases pass, "
            + (results.size() - passed) + " are skipped with a reason, none fails");
    }

    /** What is left out has a reason in the document. */
    static void requirePeculiarities(final GuestResult run) throws IOException {
        final String judged = Files.readString(DOCUMENT);
        assertThat(run.report()).anyMatch(line -> line.startsWith(PECULIARITY));
        for (final String line : run.report()) {
            if (line.startsWith(PECULIARITY)) {
                assertThat(judged).contains('`' + line.substring(PECULIARITY.length(), line.indexOf(" - ")) + '`');
            }
        }
    }

    static void requireMoved(final GuestResult run) {
        assertThat(Long.parseLong(run.info("messages").orElse("0"))).isGreaterThan(5000);
        assertThat(Long.parseLong(run.info("bytes").orElse("0"))).isGreaterThan(1 << 24);
    }
}
