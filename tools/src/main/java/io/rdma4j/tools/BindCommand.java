/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools;

import io.rdma4j.tools.host.RebindPlan;
import io.rdma4j.tools.host.RebindReport;
import io.rdma4j.tools.host.Rebinding;
import picocli.CommandLine.Command;

import java.util.function.Consumer;

/** {@code rdma4j bind}: takes a device from the kernel's driver and gives it to user space. */
@Command(
    name = "bind",
    description = "Gives a device to vfio-pci, so that a program can open it as vfio:ADDRESS. Needs root's rights. "
        + "What was its driver gets it back if that fails. Refuses a device that carries an active network "
        + "interface, and one that rdma4j does not drive.",
    footer = {
        "  rdma4j bind 0000:0b:00.1",
        "  rdma4j bind --group 0b:00.1        with all others of its IOMMU group",
        "  rdma4j bind --dry-run 0b:00.1      only shows what it would do",
        "  rdma4j bind --force 0000:00:05.0   whatever it is"
    })
final class BindCommand extends RebindCommand {
    @Override
    RebindPlan plan(final Rebinding rebinding, final Consumer<String> warn) {
        return rebinding.planBind(warn);
    }

    @Override
    RebindReport carryOut(final Rebinding rebinding, final Consumer<String> warn) {
        return rebinding.bind(warn);
    }
}
