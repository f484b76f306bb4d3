/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.live;

import io.rdma4j.driver.state.StateFolder;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/** Where the files of a process may be: it may have another user, and other settings. */
final class LiveSearch {
    private static final String DEFINITION = "-D";

    private LiveSearch() {
    }

    /** Folders of its user, the most likely first. */
    static Set<Path> folders(final long pid) {
        final Set<Path> found = new LinkedHashSet<>();
        final long user = LiveProcess.user(pid);
        try {
            found.addAll(StateFolder.STATE.existing(System::getProperty, System::getenv, user));
        } catch (final InvalidPathException e) {
            // Then the process' own settings are what there is to go by.
            found.clear();
        }
        if (pid == LiveProcess.PID) {
            return found;
        }
        try {
            final Map<String, String> environment = pairs(LiveProcess.of(pid, "environ"), "");
            final Map<String, String> properties = pairs(LiveProcess.of(pid, "cmdline"), DEFINITION);
            found.addAll(StateFolder.STATE.existing(properties::get, environment::get, user));
        } catch (final IOException | InvalidPathException e) {
            // Another user's, without the right to look: whether that matters is seen when nothing is found.
            return found;
        }
        return found;
    }

    /** Name and value of what ends with a zero each, without what they begin with. */
    private static Map<String, String> pairs(final Path file, final String prefix) throws IOException {
        final Map<String, String> found = new HashMap<>();
        for (final String pair : new String(Files.readAllBytes(file), StandardCharsets.UTF_8).split("\0")) {
            final int equals = pair.indexOf('=');
            if (equals > prefix.length() && pair.startsWith(prefix)) {
                found.put(pair.substring(prefix.length(), equals), pair.substring(equals + 1));
            }
        }
        return found;
    }
}
