/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.benchmarks.harness;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Temporary folders. */
final class Folders {
    private Folders() {
    }

    /** Deletes it and what is in it, if it is there. */
    static void delete(final Path folder) throws IOException {
        if (!Files.exists(folder)) {
            return;
        }
        final List<Path> deepestFirst;
        try (Stream<Path> all = Files.walk(folder)) {
            deepestFirst = all.sorted(Comparator.reverseOrder()).collect(Collectors.toList());
        }
        for (final Path path : deepestFirst) {
            Files.deleteIfExists(path);
        }
    }
}
