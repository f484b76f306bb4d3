/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools;

import io.rdma4j.tools.dump.DumpSource.Wish;
import io.rdma4j.tools.dump.RegsSection;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

import java.util.Set;

/** {@code rdma4j regs}: the registers. */
@Command(
    name = "regs",
    description = "Prints the device's registers. Of a running process (--pid) what it last wrote and read; only a "
        + "device of one's own can be asked. Access: ro read-only, wo write-only, rw both, rc cleared by reading.",
    subcommands = RegsSetCommand.class,
    footer = {
        "  rdma4j regs -d vfio:0000:0b:00.1",
        "  rdma4j regs --no-init                    before the driver touches it",
        "  rdma4j regs set IMR 0xffffffff --yes     write a register"
    })
final class RegsCommand extends DumpCommand {
    @Option(names = "--icr", description = "Read ICR too. Reading may clear it, and interrupts be lost.")
    private boolean icr;

    @Option(names = "--no-init", description = "Open the PCI function only, without bringing the device up; memory "
        + "decoding is switched on for the reading.")
    private boolean noInit;

    RegsCommand() {
        super(new RegsSection());
    }

    @Override
    OpenedSource open(final DumpOptions options) {
        options.requireOwn(icr, "--icr");
        final Set<Wish> wishes = options.wishes();
        if (icr) {
            wishes.add(Wish.ICR);
        }
        return noInit ? options.openFunction(wishes).decodingMemory() : options.open(wishes);
    }
}
