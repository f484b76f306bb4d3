/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools;

import io.rdma4j.tools.perf.PerfFile;
import io.rdma4j.tools.plot.PerfPage;
import io.rdma4j.tools.plot.SamplesPage;

import java.nio.file.Path;
import java.util.List;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;

/** {@code rdma4j plot}: shows saved runs side by side, or figures over time. */
@Command(
    name = "plot",
    description = "Draws runs that 'rdma4j perf --save' saved, side by side, or figures over time (FILE.tsv), as one "
        + "HTML page that needs no network.",
    footer = {
        "  rdma4j perf send_lat --save a.json        a run",
        "  rdma4j plot -o page.html a.json b.json    two of them, compared",
        "  rdma4j plot -o page.html soak.tsv         numbers over time, a column each"
    })
final class PlotCommand implements Runnable {
    @ParentCommand
    private Main main;

    @Option(names = {"-o", "--output"}, paramLabel = "FILE.html", required = true, description = "The page.")
    private Path output;

    @Parameters(paramLabel = "FILE", arity = "1..*",
        description = "Saved runs (FILE.json), or figures with a tab between them (FILE.tsv), in the order of the "
            + "legend.")
    private List<Path> files;

    @Override
    public void run() {
        if (files.stream().allMatch(SamplesPage::draws)) {
            SamplesPage.write(output, files);
        } else {
            PerfPage.write(output, files.stream().map(PerfFile::read).toList());
        }
        // Not where the page may go itself, to standard output.
        main.terminal().err().println("rdma4j: wrote " + output.toAbsolutePath().toUri());
    }
}
