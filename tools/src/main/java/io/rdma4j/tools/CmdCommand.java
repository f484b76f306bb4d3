/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools;

import io.rdma4j.tools.dump.CmdSection;
import io.rdma4j.tools.dump.Section;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code rdma4j cmd}: the last commands with their answers. */
@Command(
    name = "cmd",
    description = "Prints the last commands that a driver exchanged with its device, decoded: up to 256, the oldest "
        + "first. Fields that are zero are left out; --json has them.",
    footer = {
        "  rdma4j cmd --pid 1234 -n 5               the last five of a running process",
        "  rdma4j cmd --sample                      what it takes to make two QPs"
    })
final class CmdCommand extends DumpCommand {
    @Option(names = {"-n", "--last"}, paramLabel = "COUNT", converter = Converters.CommandCount.class,
        description = "Only the last ones.")
    private Integer last;

    @Override
    Section section() {
        return last == null ? new CmdSection() : new CmdSection(last);
    }
}
