/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.tools;

import io.rdma4j.qemu.guest.ResultWriter;

import java.io.IOException;
import java.util.concurrent.TimeUnit;

/** Checks claims in the guest, in one JVM; reports with {@link ResultWriter}. */
final class ClaimRunner {
    private final ResultWriter results;

    private ClaimRunner(final ResultWriter results) {
        this.results = results;
    }

    /** One claim: returns what was seen, throws what was wrong. */
    interface Claim {
        String check() throws IOException, InterruptedException;
    }

    /** All claims about something, checked one after the other. */
    interface Claims {
        void checkAll(ClaimRunner runner) throws IOException;
    }

    /** Checks claims; the exit code is 1 if one was wrong. */
    static void run(final Claims claims) throws IOException {
        final int failures;
        try (ResultWriter results = ResultWriter.open(System.out)) {
            claims.checkAll(new ClaimRunner(results));
            failures = results.failures();
        }
        if (failures > 0) {
            Runtime.getRuntime().exit(1);
        }
    }

    void check(final String name, final Claim claim) {
        final long start = System.nanoTime();
        try {
            final String seen = claim.check();
            results.pass(name, seen + " (" + TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start) + " ms)");
        } catch (final IOException | RuntimeException e) {
            results.fail(name, e.toString());
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            results.fail(name, "interrupted");
        }
    }
}
