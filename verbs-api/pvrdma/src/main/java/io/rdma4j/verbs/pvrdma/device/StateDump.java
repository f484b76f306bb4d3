/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma.device;

import io.rdma4j.hw.pvrdma.Bar1;

/** Everything that helps to understand a failure, in words. */
final class StateDump {
    private static final int COMMANDS = 8;

    private final Bringup device;

    StateDump(final Bringup device) {
        this.device = device;
    }

    /** Begins with a line that names the device; a closed one has no registers and memory any more. */
    String text(final String name, final boolean closed) {
        final StringBuilder text = new StringBuilder(name).append('\n');
        if (device.latch.failed()) {
            text.append("failed: ").append(device.latch.reason()).append('\n');
        }
        if (!closed) {
            appendRegisters(text);
            text.append(device.dsr).append(device.gids).append('\n');
        }
        text.append("rings: ").append(device.asyncEvents).append(' ').append(device.notifications).append('\n')
            .append("objects: ").append(device.commands).append('\n')
            .append("published: ").append(device.live).append('\n')
            .append("journal of live objects: ").append(device.journal).append('\n')
            .append("memory: ").append(device.arena).append(", reachable ")
            .append(device.pci.dma().reachableBytes()).append(" bytes\n")
            .append("counters: ").append(device.counters.snapshot()).append('\n')
            .append("last commands:\n").append(device.channel.history(COMMANDS));
        if (!device.latch.stateAtFailure().isEmpty()) {
            text.append("--- at the time of the failure ---\n").append(device.latch.stateAtFailure());
        }
        return text.toString();
    }

    /** Without ICR, which a read may clear. */
    private void appendRegisters(final StringBuilder text) {
        try {
            text.append(String.format("registers: VERSION=%d ERR=0x%x IMR=0x%x%n",
                device.registers.readInt(Bar1.PVRDMA_REG_VERSION), device.registers.readInt(Bar1.PVRDMA_REG_ERR),
                device.registers.readInt(Bar1.PVRDMA_REG_IMR)));
        } catch (final RuntimeException | InternalError e) {
            text.append("registers: not readable: ").append(e).append('\n');
        }
    }
}
