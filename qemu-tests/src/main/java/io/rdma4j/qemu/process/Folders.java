/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
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

    /**
     * Deletes what {@link Files#createTempDirectory} made in a folder for those who were killed before they were done
     * with it. The caller holds what keeps others from making such folders.
     *
     * @param parent the folder.
     * @param prefix of their names; a number follows.
     * @throws IOException if the folder cannot be read.
     */
    public static void deleteLeftovers(final Path parent, final String prefix) throws IOException {
        try (DirectoryStream<Path> left = Files.newDirectoryStream(parent, prefix + "[0-9]*")) {
            for (final Path each : left) {
                try {
                    delete(each);
                } catch (final IOException | UncheckedIOException ignored) {
                    // A command that outlived its caller still writes there: the next one deletes it.
                }
            }
        }
    }
}
