/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.front;

import io.rdma4j.hw.pci.MsixTableEntry;
import io.rdma4j.hw.pvrdma.Bar1;

import org.agrona.concurrent.UnsafeBuffer;

import java.nio.ByteOrder;

/** BAR 0: the MSI-X table, which is memory but for its mask bits, and the pending bits. */
public final class MsixBar extends TrapBar {
    private static final int TABLE_LENGTH = Bar1.PVRDMA_MAX_INTERRUPTS * MsixTableEntry.LENGTH;

    private final InterruptController interrupts;
    private final UnsafeBuffer table = new UnsafeBuffer(new byte[TABLE_LENGTH]);

    /**
     * A table with all vectors masked.
     *
     * @param bus        whether it answers.
     * @param interrupts told of masks.
     */
    public MsixBar(Bus bus, InterruptController interrupts) {
        super(0, bus);
        this.interrupts = interrupts;
        maskAll();
    }

    @Override
    synchronized int read(int offset) {
        if (offset == PciConfigSpace.PBA_OFFSET) {
            return interrupts.pending();
        }
        return offset < TABLE_LENGTH ? table.getInt(offset, ByteOrder.LITTLE_ENDIAN) : 0;
    }

    @Override
    void write(int offset, int value) {
        if (offset < TABLE_LENGTH) {
            store(offset, value);
            tellMasks();
        }
    }

    private synchronized void store(int offset, int value) {
        table.putInt(offset, value, ByteOrder.LITTLE_ENDIAN);
    }

    private void tellMasks() {
        int masks = 0;
        for (int vector = 0; vector < Bar1.PVRDMA_MAX_INTERRUPTS; vector++) {
            if (MsixTableEntry.isMasked(table, MsixTableEntry.entryOffset(vector))) {
                masks |= 1 << vector;
            }
        }
        interrupts.vectorMasks(masks);
    }

    /** As the platform does for vectors that it enables: gives the first ones an address, and unmasks them. */
    void unmask(int count) {
        for (int vector = 0; vector < count; vector++) {
            final int entry = MsixTableEntry.entryOffset(vector);
            store(entry + MsixTableEntry.MSG_ADDR_LOW_OFFSET, 0xfee0_0000);
            store(entry + MsixTableEntry.MSG_DATA_OFFSET, 0x4000 | vector);
            store(entry + MsixTableEntry.VECTOR_CONTROL_OFFSET, 0);
        }
        tellMasks();
    }

    /** Of what was written nothing is left but masks. */
    void clear() {
        for (int offset = 0; offset < TABLE_LENGTH; offset += Integer.BYTES) {
            store(offset, 0);
        }
        maskAll();
    }

    void maskAll() {
        for (int vector = 0; vector < Bar1.PVRDMA_MAX_INTERRUPTS; vector++) {
            store(MsixTableEntry.entryOffset(vector) + MsixTableEntry.VECTOR_CONTROL_OFFSET, MsixTableEntry.MASKED);
        }
        tellMasks();
    }
}
