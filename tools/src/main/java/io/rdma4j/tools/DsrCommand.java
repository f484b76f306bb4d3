/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools;

import io.rdma4j.tools.dump.DsrSection;
import picocli.CommandLine.Command;

/** {@code rdma4j dsr}: the shared region and the event rings. */
@Command(
    name = "dsr",
    description = "Prints the shared region, by which driver and device know each other, and the two event rings.",
    footer = {
        "  rdma4j dsr                               of a device that was just opened",
        "  rdma4j dsr --pid 1234                    of a running process",
        "  rdma4j dsr -d vfio:0000:0b:00.1 --raw    with the bytes"
    })
final class DsrCommand extends DumpCommand {
    DsrCommand() {
        super(new DsrSection());
    }
}
