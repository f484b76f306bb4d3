/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.sysfs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * A process that has a file open.
 *
 * @param pid     its number.
 * @param command its name, as {@code ps -o comm} prints it.
 */
public record FileUser(long pid, String command) {
    /** Processes that have a file open; without root's rights only the user's own. */
    static List<FileUser> of(final Path root, final String file) {
        final List<FileUser> users = new ArrayList<>();
        final Path proc = root.resolve("proc");
        for (final String name : SysFiles.names(proc)) {
            final long pid = SysFiles.number(name, 0);
            if (pid > 0 && hasOpen(proc.resolve(name).resolve("fd"), file)) {
                users.add(new FileUser(pid, SysFiles.printable(
                    Objects.requireNonNullElse(SysFiles.text(proc.resolve(name).resolve("comm")), "?"))));
            }
        }
        return users;
    }

    private static boolean hasOpen(final Path descriptors, final String file) {
        return SysFiles.names(descriptors).stream().anyMatch(name -> leadsTo(descriptors.resolve(name), file));
    }

    private static boolean leadsTo(final Path link, final String file) {
        try {
            return Files.readSymbolicLink(link).toString().equals(file);
        } catch (final IOException | UnsupportedOperationException e) {
            return false;
        }
    }
}
