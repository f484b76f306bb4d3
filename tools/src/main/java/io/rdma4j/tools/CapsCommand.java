/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools;

import io.rdma4j.tools.dump.CapsSection;
import picocli.CommandLine.Command;

/** {@code rdma4j caps}: the capabilities in the shared region. */
@Command(
    name = "caps",
    description = "Prints the capabilities field by field, as the device wrote them; 'rdma4j devinfo' says what they "
        + "come to.",
    footer = {
        "  rdma4j caps",
        "  rdma4j caps -d vfio:0000:0b:00.1",
        "  rdma4j caps --pid 1234 --json"
    })
final class CapsCommand extends DumpCommand {
    CapsCommand() {
        super(new CapsSection());
    }
}
