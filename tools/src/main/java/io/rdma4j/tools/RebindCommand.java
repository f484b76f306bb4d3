/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools;

import com.google.gson.JsonObject;
import io.rdma4j.tools.host.RebindPlan;
import io.rdma4j.tools.host.RebindReport;
import io.rdma4j.tools.host.Rebinding;
import io.rdma4j.tools.text.Json;
import io.rdma4j.tools.text.Terminal;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;

import java.io.PrintWriter;
import java.util.function.Consumer;

/** A device gets another driver, and perhaps all others of its IOMMU group. */
abstract class RebindCommand implements Runnable {
    @ParentCommand
    private Main main;

    @Parameters(paramLabel = "ADDRESS", converter = Converters.PciAddress.class,
        description = "PCI address, with or without its domain.")
    private String address;

    @Option(names = "--group", description = "All functions of the device's IOMMU group, bridges excepted.")
    private boolean group;

    @Option(names = "--force", description = "Only warn of what speaks against it.")
    private boolean force;

    @Option(names = "--dry-run", description = "Print what would be written to which file, and change nothing; needs "
        + "no rights.")
    private boolean dryRun;

    @Option(names = "--json", description = "Print JSON.")
    private boolean json;

    abstract RebindPlan plan(Rebinding rebinding, Consumer<String> warn);

    abstract RebindReport carryOut(Rebinding rebinding, Consumer<String> warn);

    @Override
    public final void run() {
        final Terminal terminal = main.terminal();
        final Rebinding rebinding = new Rebinding(main.machine(), address, group, force);
        final Consumer<String> warn = objection -> terminal.err().println("rdma4j: warning: " + objection);
        if (dryRun) {
            final RebindPlan plan = plan(rebinding, warn);
            print(plan.toJson(), plan::print);
        } else {
            final RebindReport report = carryOut(rebinding, warn);
            print(report.toJson(), report::print);
        }
    }

    private void print(final JsonObject object, final Consumer<PrintWriter> text) {
        if (json) {
            Json.print(main.terminal().out(), object);
        } else {
            text.accept(main.terminal().out());
        }
    }
}
