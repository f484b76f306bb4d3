/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * Folders as a whole.
 */
public final class Folders {
    private Folders() {
    }

    /**
     * Deletes a folder and all in it, or a file. Links are deleted, not followed.
     *
     * @param folder what to delete; harmless if it is not there.
     * @throws IOException if something cannot be deleted.
     */
    public static void delete(final Path folder) throws IOException {
        if (Files.exists(folder)) {
            final List<Path> deepestFirst;
            try (Stream<Path> all = Files.walk(folder)) {
                deepestFirst = all.sorted(Comparator.reverseOrder()).toList();
            }
            for (final Path path : deepestFirst) {
                Files.deleteIfExists(path);
            }
        }
    }
}
