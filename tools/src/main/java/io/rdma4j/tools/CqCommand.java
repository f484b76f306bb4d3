/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools;

import io.rdma4j.tools.dump.CqSection;
import picocli.CommandLine.Command;

/** The command {@code cq}. */
@Command(
    name = "cq",
    description = "Prints the completion queues, and each completion in them. 'number' is that of the request in "
        + "'rdma4j qp'; what a shared receive queue had has the program's wr_id. Numbers that lead nowhere are marked "
        + "with '!'.",
    footer = {
        "  rdma4j cq --sample                       of a device with a few objects on it",
        "  rdma4j cq --pid 1234                     of a running process",
        "  rdma4j cq --pid 1234 --json --raw        for a program, with the bytes"
    })
final class CqCommand extends DumpCommand {
    CqCommand() {
        super(new CqSection());
    }
}
