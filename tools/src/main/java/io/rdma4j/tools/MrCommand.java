/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools;

import io.rdma4j.tools.dump.MrSection;
import picocli.CommandLine.Command;

/** The command {@code mr}. */
@Command(
    name = "mr",
    description = "Prints the protection domains, memory regions and windows, with the page tables of regions "
        + "followed to IOVAs and, with the right to see them, to physical addresses. Numbers that lead "
        + "nowhere are marked with '!'.",
    footer = {
        "  rdma4j mr --sample                       of a device with a few objects on it",
        "  rdma4j mr --pid 1234                     of a running process",
        "  rdma4j mr --pid 1234 --json --raw        for a program, with the bytes"
    })
final class MrCommand extends DumpCommand {
    MrCommand() {
        super(new MrSection());
    }
}
