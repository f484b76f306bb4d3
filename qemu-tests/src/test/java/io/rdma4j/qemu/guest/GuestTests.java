/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.guest;

import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.abort;

import io.rdma4j.testing.Gcc;

import org.junit.jupiter.api.DynamicTest;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Makes JUnit tests out of what a command in a guest reported; brings C programs into a guest. */
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

    /**
     * Compiles a program or a library that stands beside a test, and puts it where a guest finds it.
     *
     * @param guest   that guest.
     * @param test    that test.
     * @param name    its name, without ".c".
     * @param options of the compiler.
     * @return the guest's path of it.
     * @throws IOException          if it is not there, or cannot be compiled.
     * @throws InterruptedException if the caller is to stop.
     */
    public static String compiled(final FabricGuest guest, final Class<?> test, final String name,
        final String... options) throws IOException, InterruptedException {
        final List<String> all = new ArrayList<>(List.of("-O2", "-Wall", "-Wextra", "-Werror"));
        all.addAll(List.of(options));
        // Where the guest sees the host's files: in folders that are memory it does not.
        final Path folder = guest.folder().resolve("share");
        try (InputStream source = test.getResourceAsStream(name + ".c")) {
            Gcc.compile(folder, name, new String(source.readAllBytes(), StandardCharsets.UTF_8),
                all.toArray(String[]::new));
        }
        return FabricGuest.SHARE + '/' + name;
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
