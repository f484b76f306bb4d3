/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.tools;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.rdma4j.tools.Main;
import io.rdma4j.tools.text.Terminal;

/** What commands print on real devices, as docs/tools.md has it. */
public final class ToolsDocument {
    private static final String HEAD = """
        # What the commands print

        Written from runs on QEMU's pvrdma and on the emulated device; do not edit. How: see
        [conformance.md](conformance.md), "What the commands print".

        Each command has its own help with examples (`./rdma4j COMMAND --help`). `-d` opens a device, `--sample` makes a
        few objects on it; `--pid` looks into a process that has a device open and moves data, and does not disturb it.
        All of them take `--json`. What is longer than a screen is cut.

        A command ends with 0 for success; with 1 if something failed, or a comparison found something, also where a
        file or folder is not there, or cannot be read or written; with 2 if the command line itself is wrong.
        """;

    /** Of a transcript: a screen. */
    private static final int SCREEN = 30;
    /** Of those behind a long one of the same command, on another device: they look alike. */
    private static final int GLANCE = 12;
    /** A command in the list of {@code --help}, and the first sentence about it. */
    private static final Pattern PURPOSE = Pattern.compile("^  (\\w+) +(\\w[^.:;]*)", Pattern.MULTILINE);

    private ToolsDocument() {
    }

    /**
     * What a device is called in the document, and what was printed there.
     *
     * @param title      a heading.
     * @param transcript of a run.
     */
    public record Run(String title, Transcript transcript) {
    }

    /** A transcript, and where it is from. */
    private record Shown(String title, Transcript.Entry entry) {
    }

    /**
     * Writes it: a list of commands, then a section for each.
     *
     * @param runs in the order in which they appear in each section.
     * @return the whole document.
     */
    public static String markdown(final List<Run> runs) {
        final Map<String, List<Shown>> sections = new LinkedHashMap<>();
        for (final Run run : runs) {
            for (final Transcript.Entry entry : run.transcript.entries()) {
                sections.computeIfAbsent(entry.name(), name -> new ArrayList<>()).add(new Shown(run.title, entry));
            }
        }
        final StringBuilder text = new StringBuilder(HEAD).append("\n| command | |\n|---|---|\n");
        final Map<String, String> purposes = purposes();
        sections.keySet().forEach(name -> text.append("| [`").append(name).append("`](#").append(name).append(") | ")
            .append(purposes.getOrDefault(name, "")).append(" |\n"));
        sections.forEach((name, all) -> text.append("\n## `").append(name).append("`\n").append(section(all)));
        return text.toString();
    }

    private static Map<String, String> purposes() {
        final StringWriter help = new StringWriter();
        final PrintWriter writer = new PrintWriter(help);
        Main.run(new Terminal(writer, writer, false, false), "--help");
        final Map<String, String> purposes = new LinkedHashMap<>();
        final Matcher each = PURPOSE.matcher(help.toString());
        while (each.find()) {
            purposes.putIfAbsent(each.group(1), each.group(2).replaceAll("\\s+", " ").strip());
        }
        return purposes;
    }

    private static String section(final List<Shown> all) {
        final StringBuilder text = new StringBuilder();
        int limit = SCREEN;
        for (final Shown each : all) {
            text.append("\n### ").append(each.title).append(each.entry.exitCode() == 0 ? "" : ", refused")
                .append("\n\n").append(block(each.entry, limit));
            if (each.entry.text().lines().count() > GLANCE) {
                limit = GLANCE;
            }
        }
        return text.toString();
    }

    private static String block(final Transcript.Entry entry, final int limit) {
        final List<String> lines = entry.text().stripTrailing().lines().toList();
        final String shown = String.join("\n", lines.subList(0, Math.min(lines.size(), limit)));
        final int more = lines.size() - limit;
        return plain("```\n$ ./rdma4j " + entry.line() + '\n' + shown
            + (more > 0 ? "\n... and " + more + " lines more" : "") + "\n```\n");
    }

    /** Sockets and files of a run are of no interest, and nobody else has them. */
    private static String plain(final String text) {
        return text.replaceAll("qtest:[^\\s'\"]+", "qtest:SOCKET?ram=FILE")
            .replaceAll("\\S*rdma4j-report\\d*\\.json", "report.json").lines().map(String::stripTrailing)
            .reduce(new StringBuilder(), (lines, line) -> lines.append(line).append('\n'), StringBuilder::append)
            .toString();
    }

    /**
     * What a document does not show of a run: commands that it does not have, and fields that it does not name.
     *
     * @param document the document.
     * @param run      what was found now.
     * @return a line for each.
     */
    public static List<String> missing(final String document, final Run run) {
        final List<String> missing = new ArrayList<>();
        final StringBuilder part = new StringBuilder();
        for (final String each : document.split("\n(?=##)")) {
            part.append(each.startsWith("### " + run.title) ? each : "");
        }
        if (part.isEmpty()) {
            return List.of("the heading '" + run.title + "'");
        }
        for (final Transcript.Entry entry : run.transcript.entries()) {
            final String typed = plain("$ ./rdma4j " + entry.line()).strip().replaceAll("--pid \\d+.*", "--pid ");
            if (part.indexOf(typed) < 0) {
                missing.add(typed);
            }
        }
        return missing;
    }
}
