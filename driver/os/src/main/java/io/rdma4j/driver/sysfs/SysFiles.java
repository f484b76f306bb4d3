/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.sysfs;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/** Reads small files of the kernel. What is missing, unreadable, gone or garbage reads as its fallback. */
final class SysFiles {
    private static final int MAX_LENGTH = 1 << 24;

    private SysFiles() {
    }

    /** The text of a file without white space around it; null if it cannot be read. */
    static String text(final Path file) {
        try (InputStream in = Files.newInputStream(file)) {
            return new String(in.readNBytes(MAX_LENGTH), StandardCharsets.ISO_8859_1).strip();
        } catch (final IOException e) {
            return null;
        }
    }

    /** What others chose must not reach a terminal with its control characters. */
    static String printable(final String text) {
        return text.replaceAll("[^ -~]", "?");
    }

    /** The lines of a file; none if it cannot be read. */
    static List<String> lines(final Path file) {
        final String text = text(file);
        return text == null ? List.of() : text.lines().toList();
    }

    /** A number in the notation of C; the fallback if there is none, or one beyond 64 bits. */
    static long number(final String text, final long fallback) {
        if (text == null) {
            return fallback;
        }
        try {
            return text.startsWith("0x") ? Long.parseUnsignedLong(text.substring(2), 16) : Long.parseLong(text);
        } catch (final NumberFormatException e) {
            return fallback;
        }
    }

    /** The number in a file; the fallback if there is none. */
    static long number(final Path file, final long fallback) {
        return number(text(file), fallback);
    }

    /** The last part of what a symbolic link leads to; null if it is none. */
    static String linkName(final Path link) {
        try {
            final Path name = Files.readSymbolicLink(link).getFileName();
            return name == null ? null : name.toString();
        } catch (final IOException | UnsupportedOperationException e) {
            return null;
        }
    }

    /** The names in a folder, sorted; none if it cannot be read. */
    static List<String> names(final Path folder) {
        final String[] names = folder.toFile().list();
        if (names == null) {
            return List.of();
        }
        Arrays.sort(names);
        return List.of(names);
    }
}
