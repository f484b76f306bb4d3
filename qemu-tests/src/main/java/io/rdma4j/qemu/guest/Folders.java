/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.guest;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * Folders as a whole.
 */
final class Folders {
    private Folders() {
    }

    /** Deletes a folder and all in it; harmless if there is none. Links are deleted, not followed. */
    static void delete(final Path folder) throws IOException {
        if (Files.exists(folder)) {
            final List<Path> deepestFirst;
            try (Stream<Path> all = Files.walk(folder)) {
                deepestFirst = all.sorted(Comparator.reverseOrder()).toList();
            }
            for (final Path path : deepestFirst) {
                Files.delete(path);
            }
        }
    }
}
