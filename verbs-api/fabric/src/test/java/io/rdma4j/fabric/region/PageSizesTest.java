/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.region;

import static io.rdma4j.fabric.Refusal.assertInvalid;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Page sizes that the system has (checklist 16), from a folder as Linux lists them. */
class PageSizesTest {
    private static final long MIB = 1 << 20;

    @TempDir
    Path folder;

    @Test
    void hugePagesThatAreListedAreKnown() throws IOException {
        Files.createDirectory(folder.resolve("hugepages-2048kB"));
        Files.createDirectory(folder.resolve("hugepages-1048576kB"));
        Files.createDirectory(folder.resolve("hugepages-xkB"));
        final PageSizes sizes = new PageSizes(folder);
        for (final long size : new long[] {0, 4096, 2 * MIB, 1024 * MIB}) {
            sizes.check(size);
        }
        for (final long size : new long[] {2048, 8192, 8 * MIB}) {
            assertInvalid(() -> sizes.check(size), "page size " + size, "[4096, 2097152, 1073741824]");
        }
    }

    @Test
    void withoutAListThereIsTheUsualOneOnly() {
        final PageSizes sizes = new PageSizes(folder.resolve("nowhere"));
        sizes.check(0);
        sizes.check(4096);
        assertInvalid(() -> sizes.check(2 * MIB), "[4096]");
    }
}
