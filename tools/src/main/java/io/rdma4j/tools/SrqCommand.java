/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools;

import io.rdma4j.tools.dump.SrqSection;
import picocli.CommandLine.Command;

/** The command {@code srq}. */
@Command(
    name = "srq",
    description = "Prints the shared receive queues, and each work request in them. Numbers that lead nowhere are "
        + "marked with '!'.",
    footer = {
        "  rdma4j srq --sample                      of a device with a few objects on it",
        "  rdma4j srq --pid 1234                    of a running process",
        "  rdma4j srq --pid 1234 --json --raw       for a program, with the bytes"
    })
final class SrqCommand extends DumpCommand {
    SrqCommand() {
        super(new SrqSection());
    }
}
