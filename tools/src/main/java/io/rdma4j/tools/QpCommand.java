/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools;

import io.rdma4j.tools.dump.QpSection;
import picocli.CommandLine.Command;

/** The command {@code qp}. */
@Command(
    name = "qp",
    description = "Prints the queue pairs: their state, and each work request in their queues. 'number' is the "
        + "driver's, from 0 in each queue; the program's wr_id is not in the queue. Numbers that lead nowhere are "
        + "marked with '!'.",
    footer = {
        "  rdma4j qp --sample                       of a device with a few objects on it",
        "  rdma4j qp --pid 1234                     of a running process",
        "  rdma4j qp --pid 1234 --json --raw        for a program, with the bytes"
    })
final class QpCommand extends DumpCommand {
    QpCommand() {
        super(new QpSection());
    }
}
