/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools;

import com.google.gson.JsonObject;
import io.rdma4j.tools.dump.DumpDocument;
import io.rdma4j.tools.dump.Section;
import io.rdma4j.tools.text.Json;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.ParentCommand;

import java.time.Instant;
import java.util.List;

/** What the commands that print one section have in common. */
abstract class DumpCommand implements Runnable {
    @ParentCommand
    private Main main;

    @Mixin
    private DumpOptions options;

    private final Section section;

    /** A command that says by {@link #section()} what it prints. */
    DumpCommand() {
        this(null);
    }

    /**
     * A command that prints a section.
     *
     * @param section which.
     */
    DumpCommand(final Section section) {
        this.section = section;
    }

    @Override
    public void run() {
        try (OpenedSource opened = open(options)) {
            final JsonObject document = DumpDocument.read(
                opened.source(), List.of(section()), Version.current(), Instant.now());
            if (options.json()) {
                Json.print(main.terminal().out(), document);
            } else {
                DumpDocument.print(document, main.terminal().out());
            }
        }
    }

    /** What is printed; for commands with more options. */
    Section section() {
        return section;
    }

    /** Opens what the options name; for commands with more options. */
    OpenedSource open(final DumpOptions given) {
        return given.open(given.wishes());
    }

    final Main main() {
        return main;
    }
}
