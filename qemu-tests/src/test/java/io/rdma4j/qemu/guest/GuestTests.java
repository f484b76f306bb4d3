/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.guest;

import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.abort;

import org.junit.jupiter.api.DynamicTest;

import java.util.stream.Stream;

/** Makes JUnit tests out of what a command in a guest reported. */
public final class GuestTests {
    private GuestTests() {
    }

    /**
     * One test per outcome, and one that all of them are there: a program that crashed half way does not pass.
     *
     * @param result what the command left.
     * @return tests that pass, fail and are skipped as in the guest.
     */
    public static Stream<DynamicTest> of(final GuestResult result) {
        final Stream<DynamicTest> each = result.results().stream()
            .map(line -> DynamicTest.dynamicTest(line.name(), () -> replay(result, line)));
        return Stream.concat(each, Stream.of(DynamicTest.dynamicTest("report is complete", () -> complete(result))));
    }

    /**
     * Fails unless a test was reported, whatever its outcome.
     *
     * @param result what the command left.
     * @param name   the test.
     */
    public static void requireReported(final GuestResult result, final String name) {
        if (result.results().stream().noneMatch(line -> line.name().equals(name))) {
            fail("no result '" + name + "' was reported: " + result.summary());
        }
    }

    private static void replay(final GuestResult result, final ResultLine line) {
        switch (line.status()) {
            case FAIL -> fail(line.message() + System.lineSeparator()
                + String.join(System.lineSeparator(), result.details(line.name())));
            case SKIP -> abort(line.message());
            default -> { }
        }
    }

    private static void complete(final GuestResult result) {
        final long failures = result.count(ResultLine.Status.FAIL);
        if (!result.complete() || result.results().isEmpty()
            || (result.exitCode() != 0) != (failures > 0)) {
            fail("the report is empty or cut off, or the program crashed: " + result.summary());
        }
    }
}
