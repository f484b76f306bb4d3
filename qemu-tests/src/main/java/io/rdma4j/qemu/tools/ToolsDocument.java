/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.tools;

import java.util.ArrayList;
import java.util.List;

/** What commands print on real devices, as docs/tools.md has it. */
public final class ToolsDocument {
    private static final String HEAD = """
        # What the commands print

        Written from runs on QEMU's pvrdma and on the software device; do not edit. How: see
        [conformance.md](conformance.md), "What the commands print".

        Each command has its own help with examples (`./rdma4j COMMAND --help`). `-d` opens a device, `--sample` makes a
        few objects on it; `--pid` looks into a process that has a device open and moves data, and does not disturb it.
        All of them take `--json`.
        """;

    /** Of all but the first run long outputs are cut: they look alike. */
    private static final int LINES = 30;

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

    /**
     * Writes it.
     *
     * @param runs in the order in which they appear.
     * @return the whole document.
     */
    public static String markdown(final List<Run> runs) {
        final StringBuilder text = new StringBuilder(HEAD);
        for (final Run run : runs) {
            text.append("\n## ").append(run.title).append('\n');
            for (final Transcript.Entry entry : run.transcript.entries()) {
                text.append("\n### `").append(entry.name()).append("`").append(entry.exitCode() == 0 ? "" : ", refused")
                    .append("\n\n").append(block(entry, run == runs.get(0) ? Integer.MAX_VALUE : LINES));
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
        final int start = document.indexOf("\n## " + run.title + '\n');
        if (start < 0) {
            return List.of("the heading '" + run.title + "'");
        }
        final int next = document.indexOf("\n## ", start + 1);
        final String part = document.substring(start, next < 0 ? document.length() : next);
        for (final Transcript.Entry entry : run.transcript.entries()) {
            final String typed = plain("$ ./rdma4j " + entry.line()).strip().replaceAll("--pid \\d+.*", "--pid ");
            if (!part.contains(typed)) {
                missing.add(typed);
            }
        }
        return missing;
    }
}
