/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.name;

import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.FiErrno;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/** Names of services, as services(5) says: name, port/protocol, further names. Those of TCP go first. */
final class ServiceNames {
    private static final int MAX_LINES = 100_000;

    private final Path file;

    ServiceNames(final Path file) {
        this.file = file;
    }

    static ServiceNames system() {
        return new ServiceNames(Path.of("/etc/services"));
    }

    int number(final String name) {
        int found = 0;
        try (BufferedReader lines = Files.newBufferedReader(file, StandardCharsets.ISO_8859_1)) {
            String line = lines.readLine();
            for (int i = 0; line != null && i < MAX_LINES; i++) {
                final String[] words = line.replaceFirst("#.*", "").trim().split("\\s+");
                if (words.length > 1 && names(words, name)) {
                    final int number = port(words[1]);
                    if (words[1].endsWith("/tcp") && number > 0) {
                        return number;
                    }
                    found = found == 0 ? number : found;
                }
                line = lines.readLine();
            }
        } catch (final IOException e) {
            throw unknown(name, e);
        }
        if (found == 0) {
            throw unknown(name, null);
        }
        return found;
    }

    private static boolean names(final String[] words, final String name) {
        return words[0].equals(name) || Arrays.asList(words).subList(2, words.length).contains(name);
    }

    private static int port(final String word) {
        final String[] parts = word.split("/");
        return parts.length == 2 && parts[0].matches("[0-9]{1,5}") ? Integer.parseInt(parts[0]) : 0;
    }

    private FabricException unknown(final String name, final IOException cause) {
        return FabricException.of(NameFailures.RESOLVE).detail("%s names no service '%s'", file, name)
            .errno(FiErrno.FI_ENODATA).hint("give the number of the service").cause(cause).build();
    }
}
