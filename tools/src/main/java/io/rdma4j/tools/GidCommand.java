/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools;

import io.rdma4j.tools.dump.GidSection;
import picocli.CommandLine.Command;

/** {@code rdma4j gid}: the GIDs that are bound. */
@Command(
    name = "gid",
    description = "Prints the GID table as the driver bound it.",
    footer = {
        "  rdma4j gid -d vfio:0000:0b:00.1",
        "  rdma4j gid --pid 1234"
    })
final class GidCommand extends DumpCommand {
    GidCommand() {
        super(new GidSection());
    }
}
