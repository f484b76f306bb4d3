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

/** {@code rdma4j unbind}: gives a device back to the kernel. */
@Command(
    name = "unbind",
    description = "Takes a device from vfio-pci and lets the kernel choose its driver, as at boot. Needs root's "
        + "rights. Refuses while a process has the device open.",
    footer = {
        "  rdma4j unbind 0000:0b:00.1",
        "  rdma4j unbind --group 0b:00.1     with all others of its IOMMU group",
        "  rdma4j unbind --dry-run 0b:00.1   only shows what it would do",
        "  rdma4j unbind --force 0b:00.1     the process that has it open loses it"
    })
final class UnbindCommand extends RebindCommand {
    @Override
    RebindPlan plan(final Rebinding rebinding, final Consumer<String> warn) {
        return rebinding.planUnbind(warn);
    }

    @Override
    RebindReport carryOut(final Rebinding rebinding, final Consumer<String> warn) {
        return rebinding.unbind(warn);
    }
}
