/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.rdma4j.driver.live.LiveViews;
import io.rdma4j.tools.dump.DumpDocument;
import io.rdma4j.tools.dump.DumpFile;
import io.rdma4j.tools.dump.Section;
import io.rdma4j.tools.dump.Sections;
import io.rdma4j.tools.text.Json;
import io.rdma4j.tools.text.Table;
import io.rdma4j.tools.text.Terminal;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;

/** {@code rdma4j dump}: several sections at once, or a report of all; without either, what could be dumped. */
@Command(
    name = "dump",
    description = "Prints several sections of a dump, or writes all of them to a file that 'rdma4j show' reads. "
        + "Without either it lists the processes that have devices open (that there are none is no failure), or, "
        + "where a device or process is named, prints all sections.",
    footer = {
        "  rdma4j dump                              whose devices can be looked at",
        "  rdma4j dump --all report.json --pid 1234 everything, into a file",
        "  rdma4j dump qp cq --pid 1234             queue pairs and completion queues",
        "  rdma4j show report.json"
    })
final class DumpAllCommand implements Runnable {
    @ParentCommand
    private Main main;

    @Mixin
    private DumpOptions options;

    @Spec
    private CommandSpec spec;

    @Parameters(paramLabel = "SECTION", arity = "0..*", completionCandidates = SectionNames.class,
        description = "One of ${COMPLETION-CANDIDATES}.")
    private List<String> sections;

    @Option(names = "--all", paramLabel = "FILE", description = "Write all sections to this file, as JSON.")
    private Path file;

    @Override
    public void run() {
        refuseUnprintedJson();
        if (sections == null && file == null && !options.nameSource()) {
            list();
            return;
        }
        final List<Section> printed = sections == null ? Sections.ALL : sections.stream().map(this::section).toList();
        try (OpenedSource opened = options.open(options.wishes())) {
            final JsonObject document = DumpDocument.read(
                opened.source(), file == null ? printed : Sections.ALL, Version.current(), Instant.now());
            if (file != null) {
                DumpFile.write(file, document);
                main.terminal().err().println("rdma4j: wrote " + file + "; rdma4j show " + file + " prints it");
            }
            if (sections != null || file == null) {
                print(DumpDocument.of(document, printed));
            }
        }
    }

    private void refuseUnprintedJson() {
        if (file != null && sections == null && options.json()) {
            throw new ParameterException(spec.commandLine(), "--all writes JSON to its file and prints nothing; leave "
                + "--json out, or name the sections to be printed");
        }
    }

    private Section section(final String name) {
        final Section section = Sections.of(name);
        if (section == null) {
            throw new ParameterException(spec.commandLine(), "'" + name + "' is no section; there are "
                + String.join(", ", new SectionNames()));
        }
        return section;
    }

    private void print(final JsonObject document) {
        if (options.json()) {
            Json.print(main.terminal().out(), document);
        } else {
            DumpDocument.print(document, main.terminal().out());
        }
    }

    private void list() {
        final PrintWriter out = main.terminal().out();
        final List<LiveViews.Listed> found = LiveViews.list();
        if (options.json()) {
            final JsonArray rows = new JsonArray();
            found.forEach(one -> rows.add(toJson(one)));
            final JsonObject all = new JsonObject();
            all.add("devices", rows);
            Json.print(out, all);
        } else if (found.isEmpty()) {
            main.terminal().err().println("rdma4j: " + LiveViews.nobody() + " has a device open; 'rdma4j dump --all "
                + "FILE -d ADDRESS' opens one");
        } else {
            final Table table = Table.ofText("PID", "ADDRESS", "STATE", "DETAIL");
            found.forEach(one -> table.row(Long.toString(one.pid()), Terminal.printable(one.address()),
                state(one), Terminal.printable(one.detail())));
            table.print(out);
        }
    }

    private static String state(final LiveViews.Listed one) {
        return one.status().name().toLowerCase(Locale.ROOT);
    }

    private static JsonObject toJson(final LiveViews.Listed one) {
        final JsonObject json = new JsonObject();
        json.addProperty("pid", one.pid());
        json.addProperty("address", one.address());
        json.addProperty("state", state(one));
        json.addProperty("detail", one.detail());
        json.addProperty("file", one.file().toString());
        return json;
    }

    /** The sections of a dump. */
    static final class SectionNames implements Iterable<String> {
        @Override
        public Iterator<String> iterator() {
            return Sections.ALL.stream().map(Section::name).iterator();
        }
    }
}
