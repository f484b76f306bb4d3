/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools;

import com.google.gson.JsonObject;
import io.rdma4j.tools.dump.DumpDocument;
import io.rdma4j.tools.dump.DumpFile;
import io.rdma4j.tools.text.Json;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;

import java.nio.file.Path;

/** {@code rdma4j show}: prints a report that {@code rdma4j dump --all} wrote, anywhere. */
@Command(
    name = "show",
    description = "Prints a report of 'rdma4j dump --all', or what --json of a dump command printed. Needs no device.",
    footer = {
        "  rdma4j show report.json",
        "  rdma4j show report.json --json"
    })
final class ShowCommand implements Runnable {
    @ParentCommand
    private Main main;

    @Parameters(paramLabel = "FILE", description = "The report.")
    private Path file;

    @Option(names = "--json", description = "Print JSON.")
    private boolean json;

    @Override
    public void run() {
        final JsonObject document = DumpFile.read(file);
        if (json) {
            Json.print(main.terminal().out(), document);
        } else {
            DumpDocument.print(document, main.terminal().out());
        }
    }
}
