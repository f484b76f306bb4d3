/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.inner;

import io.rdma4j.qemu.guest.GuestException;
import io.rdma4j.qemu.process.HostCommand;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The libraries of this host that programs need, as its dynamic linker finds them. */
final class SharedLibraries {
    private static final Duration DEADLINE = Duration.ofSeconds(30);
    private static final Pattern FOUND = Pattern.compile("\\s*(?:\\S+ => )?(/\\S+) \\(0x[0-9a-f]+\\)");
    /** What native code that a jar brings along may ask for, beside the C library itself. */
    private static final List<String> OF_THE_C_LIBRARY =
        List.of("libdl.so.2", "libpthread.so.0", "librt.so.1", "libm.so.6");

    private SharedLibraries() {
    }

    /**
     * What these programs and libraries need.
     *
     * @param files programs and libraries.
     * @return paths under which they look for it; the libraries of a Java runtime itself are not among them.
     * @throws GuestException if the dynamic linker cannot be asked.
     */
    static Set<Path> of(final List<Path> files) {
        final Set<Path> all = new LinkedHashSet<>();
        for (final Path file : files) {
            final HostCommand.Outcome outcome =
                HostCommand.run(null, DEADLINE, List.of("ldd", file.toString()));
            if (!outcome.succeeded()) {
                throw new GuestException("ldd " + file + " failed (exit code " + outcome.exitCode() + "): "
                    + outcome.text());
            }
            all.addAll(parse(outcome.text()));
        }
        all.removeIf(library -> files.stream().anyMatch(file -> library.startsWith(runtimeOf(file))));
        for (final Path libc : List.copyOf(all)) {
            if (libc.getFileName().toString().equals("libc.so.6")) {
                OF_THE_C_LIBRARY.stream().map(libc::resolveSibling).filter(Files::exists).forEach(all::add);
            }
        }
        return all;
    }

    private static Path runtimeOf(final Path file) {
        return file.toAbsolutePath().getParent().getParent();
    }

    /** Paths in what {@code ldd} prints. */
    static Set<Path> parse(final String text) {
        final Set<Path> found = new LinkedHashSet<>();
        text.lines().map(FOUND::matcher).filter(Matcher::matches).map(line -> Path.of(line.group(1)))
            .forEach(found::add);
        return found;
    }
}
