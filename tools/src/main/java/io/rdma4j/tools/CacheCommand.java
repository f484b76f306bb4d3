/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools;

import io.rdma4j.tools.dump.CacheSection;
import picocli.CommandLine.Command;

/** The command {@code cache}. */
@Command(
    name = "cache",
    description = "Prints the registration caches of the fabric layer, and the regions that they keep. They are in "
        + "programs that use that layer: look into one with --pid. Numbers that lead nowhere are marked with '!'.",
    footer = {
        "  rdma4j cache --pid 1234                  of a running process",
        "  rdma4j cache --pid 1234 --json --raw     for a program, with the bytes"
    })
final class CacheCommand extends DumpCommand {
    CacheCommand() {
        super(new CacheSection());
    }
}
