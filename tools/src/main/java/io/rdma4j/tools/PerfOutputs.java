/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools;

import io.rdma4j.base.Cleanup;
import io.rdma4j.tools.perf.PerfFile;
import io.rdma4j.tools.perf.PerfRun;
import io.rdma4j.tools.plot.PerfPage;
import io.rdma4j.tools.text.OwnFile;
import picocli.CommandLine;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Files that {@code rdma4j perf} writes. What can be known to go wrong is found before anything is measured. */
final class PerfOutputs {
    @Option(names = "--save", paramLabel = "FILE", description = "Keep the run in a file, as JSON with a version.")
    private Path save;

    @Option(names = "--plot", paramLabel = "FILE.html",
        description = "Draw the run, as one page that needs no network.")
    private Path plot;

    @Option(names = "--beside", paramLabel = "FILE",
        description = "With --plot: draw this run too, which --save kept. Can be repeated.")
    private List<Path> beside = List.of();

    private final List<PerfRun> others = new ArrayList<>();

    boolean areWanted() {
        return save != null || plot != null || !beside.isEmpty();
    }

    /** Checks places, and reads the runs that are drawn beside. */
    void prepare(final CommandLine command) {
        if (!beside.isEmpty() && plot == null) {
            throw new ParameterException(command, "Option '--beside' (FILE) needs '--plot'");
        }
        OwnFile.require("save run", save);
        OwnFile.require("plot", plot);
        beside.forEach(file -> others.add(PerfFile.read(file)));
    }

    /** Writes each file, whatever becomes of the other. */
    void write(final PerfRun run) {
        final Cleanup each = new Cleanup();
        if (save != null) {
            each.run(() -> PerfFile.write(save, run));
        }
        if (plot != null) {
            final List<PerfRun> all = new ArrayList<>(List.of(run));
            all.addAll(others);
            each.run(() -> PerfPage.write(plot, all));
        }
        each.throwIfFailed();
    }
}
