/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma.device;

import io.rdma4j.hw.pvrdma.Bar1;

/** Everything that helps to understand a failure, in words. */
final class StateDump {
    private static final int COMMANDS = 8;

    private final Bringup bringup;

    StateDump(final Bringup bringup) {
        this.bringup = bringup;
    }

    /** Begins with a line that names the device; a closed one has no registers and memory any more. */
    String text(final String name, final boolean closed) {
        final StringBuilder text = new StringBuilder(name).append('\n');
        if (bringup.latch.failed()) {
            text.append("failed: ").append(bringup.latch.reason()).append('\n');
        }
        if (!closed) {
            appendRegisters(text);
            text.append(bringup.dsr).append(bringup.gids).append('\n');
        }
        text.append("rings: ").append(bringup.asyncEvents).append(' ').append(bringup.notifications).append('\n')
            .append("objects: ").append(bringup.commands).append('\n')
            .append("published: ").append(bringup.live).append('\n')
            .append("journal of live objects: ").append(bringup.journal).append('\n')
            .append("memory: ").append(bringup.arena).append(", reachable ")
            .append(bringup.pci.dma().reachableBytes()).append(" bytes\n")
            .append("counters: ").append(bringup.counters.snapshot()).append('\n')
            .append("last commands:\n").append(bringup.channel.history(COMMANDS));
        if (!bringup.latch.stateAtFailure().isEmpty()) {
            text.append("--- at the time of the failure ---\n").append(bringup.latch.stateAtFailure());
        }
        return text.toString();
    }

    /** Without ICR, which a read may clear. */
    private void appendRegisters(final StringBuilder text) {
        try {
            text.append(String.format("registers: VERSION=%d ERR=0x%x IMR=0x%x%n",
                bringup.registers.readInt(Bar1.PVRDMA_REG_VERSION), bringup.registers.readInt(Bar1.PVRDMA_REG_ERR),
                bringup.registers.readInt(Bar1.PVRDMA_REG_IMR)));
        } catch (final RuntimeException | InternalError e) {
            text.append("registers: not readable: ").append(e).append('\n');
        }
    }
}
