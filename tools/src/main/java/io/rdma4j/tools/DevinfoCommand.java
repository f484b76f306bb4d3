/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools;

import io.rdma4j.tools.host.OtherRdma;
import io.rdma4j.tools.text.Json;
import io.rdma4j.tools.text.Terminal;
import io.rdma4j.verbs.DeviceInfo;
import io.rdma4j.verbs.RdmaContext;
import io.rdma4j.verbs.RdmaDevices;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

import java.util.List;

/** {@code rdma4j devinfo}: identity, limits, ports and peculiarities of a device. */
@Command(
    name = "devinfo",
    description = "Prints what a device is, what it can do and what is peculiar about it, as ibv_devinfo does.",
    footer = {
        "  rdma4j devinfo                          the emulated device, in short",
        "  rdma4j devinfo -v -d vfio:0000:0b:00.1  a real one, in full",
        "  rdma4j devinfo -l                       which there are",
        "  rdma4j devinfo --json | python3 -m json.tool"
    })
final class DevinfoCommand implements Runnable {
    @ParentCommand
    private Main main;

    @Spec
    private CommandSpec spec;

    @Option(names = {"-d", "--device"}, paramLabel = "ADDRESS", defaultValue = RdmaDevices.DEFAULT_ADDRESS,
        description = "Address of the device, as 'rdma4j devices' lists it. Default: ${DEFAULT-VALUE}")
    private String address;

    @Option(names = {"-l", "--list"}, description = "Only list the devices that can be opened, as 'rdma4j devices'.")
    private boolean list;

    @Option(names = {"-i", "--port"}, paramLabel = "PORT", converter = Converters.Port.class,
        description = "Only this port, from 1. Default: all")
    private Integer port;

    @Option(names = {"-v", "--verbose"}, description = "Print limits, GIDs and peculiarities in full too.")
    private boolean verbose;

    @Option(names = "--json", description = "Print JSON, always in full.")
    private boolean json;

    @Override
    public void run() {
        final Terminal terminal = main.terminal();
        if (list) {
            refuseWithList("--device", "--port", "--verbose");
            list(terminal);
            return;
        }
        OtherRdma.refuse(main.machine(), address);
        try (RdmaContext context = RdmaDevices.open(address)) {
            final DeviceReport report = new DeviceReport(context, port == null ? 0 : port);
            if (json) {
                Json.print(terminal.out(), report.toJson());
            } else {
                report.print(terminal.out(), verbose);
            }
        }
    }

    private void refuseWithList(final String... options) {
        for (final String option : options) {
            if (spec.commandLine().getParseResult().hasMatchedOption(option)) {
                throw new ParameterException(spec.commandLine(), "--list and " + option + " exclude each other");
            }
        }
    }

    private void list(final Terminal terminal) {
        final List<DeviceInfo> devices = RdmaDevices.list();
        if (json) {
            Json.print(terminal.out(), DevicesCommand.toJson(devices));
        } else {
            terminal.out().printf("%d HCA%s found:%n", devices.size(), devices.size() == 1 ? "" : "s");
            devices.forEach(device -> terminal.out().println("\t" + device.address()));
            final List<String> listed = devices.stream().map(DeviceInfo::address).toList();
            for (final OtherRdma other : OtherRdma.on(main.machine())) {
                if (other.name() != null && !listed.contains(other.opensAs())) {
                    terminal.err().printf("rdma4j: not among them: %s, %s; './rdma4j devinfo -d %s' says why%n",
                        other.name(), other.kind(), other.opensAs());
                }
            }
        }
    }
}
