/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools;

import io.rdma4j.tools.dump.CountersSection;
import picocli.CommandLine.Command;

/** {@code rdma4j counters}: what the driver, and an emulated device, counted. */
@Command(
    name = "counters",
    description = "Prints what was counted since a device was opened: commands, events, faults.",
    footer = {
        "  rdma4j counters                          of a device that was just opened",
        "  rdma4j counters --pid 1234               of a running process",
        "  rdma4j counters --pid 1234 --json"
    })
final class CountersCommand extends DumpCommand {
    CountersCommand() {
        super(new CountersSection());
    }
}
