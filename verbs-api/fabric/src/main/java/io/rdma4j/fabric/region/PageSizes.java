/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.region;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SortedSet;
import java.util.TreeSet;

import io.rdma4j.verbs.PageList;

/** Page sizes of the operating system (checklist 16): its usual one, and those of huge pages. */
final class PageSizes {
    private static final String PREFIX = "hugepages-";
    private static final String SUFFIX = "kB";
    private static final long KIB = 1024;

    private final SortedSet<Long> sizes = new TreeSet<>();

    /** Reads a folder as Linux has it in {@code /sys/kernel/mm/hugepages}. */
    PageSizes(final Path folder) {
        sizes.add((long) PageList.PAGE_SIZE);
        if (Files.isDirectory(folder)) {
            try (DirectoryStream<Path> entries = Files.newDirectoryStream(folder, PREFIX + "*" + SUFFIX)) {
                entries.forEach(entry -> add(entry.getFileName().toString()));
            } catch (final IOException e) {
                // Huge pages that cannot be listed are none: they are only a hint.
                sizes.retainAll(sizes.headSet(sizes.first() + 1));
            }
        }
    }

    static PageSizes ofThisMachine() {
        return new PageSizes(Path.of("/sys/kernel/mm/hugepages"));
    }

    private void add(final String name) {
        final String digits = name.substring(PREFIX.length(), name.length() - SUFFIX.length());
        if (digits.matches("\\d{1,12}")) {
            sizes.add(Long.parseLong(digits) * KIB);
        }
    }

    void check(final long size) {
        if (size != 0 && !sizes.contains(size)) {
            throw Refusals.invalid(Refusals.REGISTER, "page size %d is none of the operating system's %s", size, sizes)
                .hint("0 leaves it to the provider").build();
        }
    }
}
