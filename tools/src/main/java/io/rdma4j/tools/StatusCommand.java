/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools;

import io.rdma4j.tools.host.HostStatus;
import io.rdma4j.tools.text.Json;
import io.rdma4j.tools.text.Terminal;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParentCommand;

/** {@code rdma4j status}: what there is for {@code vfio:}, what is missing, and the commands that mend it. */
@Command(
    name = "status",
    description = "Lists RDMA devices with their drivers and IOMMU groups, looks at everything that vfio: addresses "
        + "need of this machine, and says what is missing and which command mends it. Changes nothing and needs no "
        + "rights; run it as the user who will open the device.",
    footer = {
        "  rdma4j status",
        "  rdma4j status --json | jq .missing"
    })
final class StatusCommand implements Runnable {
    @ParentCommand
    private Main main;

    @Option(names = "--json", description = "Print JSON.")
    private boolean json;

    @Override
    public void run() {
        final Terminal terminal = main.terminal();
        final HostStatus status = HostStatus.of(main.machine());
        if (json) {
            Json.print(terminal.out(), status.toJson());
        } else {
            status.print(terminal.out());
        }
    }
}
