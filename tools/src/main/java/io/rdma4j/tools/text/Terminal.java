/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.text;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/**
 * Where a command prints to, and what it may print there.
 *
 * @param out            results.
 * @param err            errors and progress.
 * @param outHasColours  whether colours are welcome on {@code out}.
 * @param errIsTerminal  whether somebody watches {@code err}, so that progress is welcome.
 */
public record Terminal(PrintWriter out, PrintWriter err, boolean outHasColours, boolean errIsTerminal) {
    private static final int STDOUT = 1;
    private static final int STDERR = 2;

    /**
     * The terminal, file or pipe that this process was started with.
     *
     * @return standard output and standard error.
     */
    public static Terminal system() {
        final Map<String, String> environment = System.getenv();
        return new Terminal(writer(FileDescriptor.out), writer(FileDescriptor.err),
            wantsColours(environment) && isTerminal(STDOUT), !isDumb(environment) && isTerminal(STDERR));
    }

    /** See no-color.org: any value that is not empty switches colours off. */
    static boolean wantsColours(final Map<String, String> environment) {
        return environment.getOrDefault("NO_COLOR", "").isEmpty() && !isDumb(environment);
    }

    private static boolean isDumb(final Map<String, String> environment) {
        return "dumb".equals(environment.getOrDefault("TERM", "dumb"));
    }

    private static PrintWriter writer(final FileDescriptor descriptor) {
        return new PrintWriter(new OutputStreamWriter(new FileOutputStream(descriptor), StandardCharsets.UTF_8), true);
    }

    /** System.console() tells of both streams together, and what it tells has changed with JDK 22; Linux knows each. */
    private static boolean isTerminal(final int descriptor) {
        try {
            final String target = Files.readSymbolicLink(Path.of("/proc/self/fd/" + descriptor)).toString();
            return target.startsWith("/dev/pts/") || target.startsWith("/dev/tty") || target.equals("/dev/console");
        } catch (final IOException | UnsupportedOperationException e) {
            return false;
        }
    }
}
