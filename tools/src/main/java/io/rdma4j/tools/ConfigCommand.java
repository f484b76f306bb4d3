/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools;

import io.rdma4j.tools.dump.ConfigSection;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code rdma4j config}: the configuration space. */
@Command(
    name = "config",
    description = "Prints PCI header, capabilities and MSI-X table of a device, as lspci -vvv does. Of a running "
        + "process (--pid) what the kernel shows of the function.",
    footer = {
        "  rdma4j config -d vfio:0000:0b:00.1",
        "  rdma4j config --no-init                  before the driver touches it",
        "  rdma4j config --raw                      with all 256 bytes"
    })
final class ConfigCommand extends DumpCommand {
    @Option(names = "--no-init", description = "Open the PCI function only, without bringing the device up.")
    private boolean noInit;

    ConfigCommand() {
        super(new ConfigSection());
    }

    @Override
    OpenedSource open(final DumpOptions options) {
        return noInit ? options.openFunction(options.wishes()) : super.open(options);
    }
}
