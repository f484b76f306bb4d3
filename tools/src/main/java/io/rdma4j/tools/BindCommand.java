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

/** {@code rdma4j bind}: takes a device from the kernel's driver and gives it to user space. */
@Command(
    name = "bind",
    description = "Gives a device to vfio-pci, so that a program can open it as vfio:ADDRESS. Needs root's rights. "
        + "What was its driver gets it back if that fails. Refuses a device that carries an active network "
        + "interface, and one that rdma4j does not drive.",
    footer = {
        "  rdma4j bind 0000:0b:00.1",
        "  rdma4j bind --group 0b:00.1        with all others of its IOMMU group",
        "  rdma4j bind --dry-run 0b:00.1      only shows what it would do",
        "  rdma4j bind --force 0000:00:05.0   whatever it is"
    })
final class BindCommand implements Runnable {
    @ParentCommand
    private Main main;

    @Parameters(paramLabel = "ADDRESS", converter = Converters.PciAddress.class,
        description = "PCI address, with or without its domain.")
    private String address;

    @Option(names = "--group", description = "Bind all functions of the device's IOMMU group, bridges excepted.")
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
            final RebindPlan plan = rebinding.planBind(warn);
            print(plan.toJson(), plan::print);
        } else {
            final RebindReport report = rebinding.bind(warn);
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
