/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.dump;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.GsonBuilder;
import com.google.gson.JsonObject;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;

/**
 * Compares what a section makes of a scripted state with files that somebody read and found right:
 * {@code src/test/resources/golden/NAME.json} and {@code NAME.txt}. With the system property {@code golden.update} they
 * are written instead, to be read again.
 */
final class Golden {
    private static final Path FOLDER = Path.of("src/test/resources/golden");
    private static final Instant NOW = Instant.parse("2026-01-02T03:04:05Z");

    private Golden() {
    }

    static JsonObject document(final DumpSource source, final Section section) {
        return DumpDocument.read(source, List.of(section), "0.0-test", NOW);
    }

    static String text(final JsonObject document) {
        final StringWriter text = new StringWriter();
        DumpDocument.print(document, new PrintWriter(text, true));
        return text.toString();
    }

    static void check(final String name, final JsonObject document) {
        checkText(name + ".json",
            new GsonBuilder().setPrettyPrinting().disableHtmlEscaping().create().toJson(document) + "\n");
        checkText(name + ".txt", text(document));
    }

    static void checkText(final String file, final String actual) {
        final Path path = FOLDER.resolve(file);
        try {
            if (Boolean.getBoolean("golden.update")) {
                Files.createDirectories(FOLDER);
                Files.writeString(path, actual);
            }
            assertThat(path).as("-Dgolden.update=true writes it").exists();
            assertThat(actual).as("%s; if this is right, -Dgolden.update=true writes it", path)
                .isEqualTo(Files.readString(path));
        } catch (final IOException e) {
            throw new UncheckedIOException(path.toString(), e);
        }
    }
}
