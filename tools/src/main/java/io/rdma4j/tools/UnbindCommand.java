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
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;

import java.io.PrintWriter;
import java.util.function.Consumer;

/** {@code rdma4j unbind}: gives a device back to the kernel. */
@Command(
    name = "unbind",
    description = "Takes a device from vfio-pci and lets the kernel choose its driver, as at boot. Needs root's "
        + "rights. Refuses while a process has the device open.",
    footer = {
        "  rdma4j unbind 0000:0b:00.1",
        "  rdma4j unbind --group 0b:00.1     with all others of its IOMMU group",
        "  rdma4j unbind --dry-run 0b:00.1   only shows what it would do",
        "  rdma4j unbind --force 0b:00.1     the process that has it open loses it"
    })
final class UnbindCommand implements Runnable {
    @ParentCommand
    private Main main;

    @Parameters(paramLabel = "ADDRESS", converter = Converters.PciAddress.class,
        description = "PCI address, with or without its domain.")
    private String address;

    @Option(names = "--group", description = "Unbind all functions of the device's IOMMU group.")
    private boolean group;

    @Option(names = "--force", description = "Only warn of what speaks against it.")
    private boolean force;

    @Option(names = "--dry-run", description = "Print what would be written to which file, and change nothing; needs "
        + "no rights.")
    private boolean dryRun;

    @Option(names = "--json", description = "Print JSON.")
    private boolean json;

    @Override
    public void run() {
        final Terminal terminal = main.terminal();
        final Rebinding rebinding = new Rebinding(main.machine(), address, group, force);
        final Consumer<String> warn = objection -> terminal.err().println("rdma4j: warning: " + objection);
        if (dryRun) {
            final RebindPlan plan = rebinding.planUnbind(warn);
            print(plan.toJson(), plan::print);
        } else {
            final RebindReport report = rebinding.unbind(warn);
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
