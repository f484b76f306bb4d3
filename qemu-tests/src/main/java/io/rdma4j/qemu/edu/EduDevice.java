/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.edu;

import io.rdma4j.driver.pci.Bar;
import io.rdma4j.driver.pci.PciDevice;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * The registers of QEMU's {@code edu} (docs/specs/edu in QEMU's documentation): BAR0, by 32-bit accesses, but for
 * DMA addresses, which have 64.
 */
final class EduDevice {
    /** Vendor and device, as a configuration dword. */
    static final int IDS = 0x11e8_1234;
    /** What the identification register says: version 1.0, then "ed". */
    static final int ID = 0x0100_00ed;
    /** Size of BAR0. */
    static final int BAR_SIZE = 1 << 20;
    /** Where the device's own memory is, in its address space. */
    static final int BUFFER = 0x40000;
    /** One DMA moves less than the 4096 bytes that are there: the device takes the last one for one too many. */
    static final int MAX_DMA = 4092;
    /** What a DMA that asked for it raises. */
    static final int DMA_INTERRUPT = 0x100;

    private static final int ID_OFFSET = 0x00;
    private static final int LIVENESS_OFFSET = 0x04;
    private static final int FACTORIAL_OFFSET = 0x08;
    private static final int STATUS_OFFSET = 0x20;
    private static final int INTERRUPT_STATUS_OFFSET = 0x24;
    private static final int INTERRUPT_RAISE_OFFSET = 0x60;
    private static final int INTERRUPT_ACKNOWLEDGE_OFFSET = 0x64;
    private static final int DMA_SOURCE_OFFSET = 0x80;
    private static final int DMA_DESTINATION_OFFSET = 0x88;
    private static final int DMA_COUNT_OFFSET = 0x90;
    private static final int DMA_COMMAND_OFFSET = 0x98;

    private static final int COMPUTING = 1;
    private static final int DMA_START = 1;
    private static final int DMA_FROM_DEVICE = 2;
    private static final int DMA_RAISES = 4;
    /** A DMA takes a tenth of a second in this device. */
    private static final long DEADLINE_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final Bar bar;

    EduDevice(final PciDevice pci) {
        bar = pci.bar(0);
    }

    Bar bar() {
        return bar;
    }

    int id() {
        return bar.readInt(ID_OFFSET);
    }

    /** Writes the liveness register and reads it: the device inverts it. */
    int liveness(final int value) {
        bar.writeInt(LIVENESS_OFFSET, value);
        return bar.readInt(LIVENESS_OFFSET);
    }

    int factorial(final int n) {
        bar.writeInt(FACTORIAL_OFFSET, n);
        await(STATUS_OFFSET, COMPUTING);
        return bar.readInt(FACTORIAL_OFFSET);
    }

    void raise(final int causes) {
        bar.writeInt(INTERRUPT_RAISE_OFFSET, causes);
    }

    /** Takes the causes that were raised. */
    int acknowledge() {
        final int causes = bar.readInt(INTERRUPT_STATUS_OFFSET);
        bar.writeInt(INTERRUPT_ACKNOWLEDGE_OFFSET, causes);
        return causes;
    }

    /** Copies from memory to the device, and waits until that is done. */
    void fromMemory(final long iova, final int length) {
        copy(iova, BUFFER, length, DMA_START);
    }

    /** Copies from the device to memory, and waits until that is done. */
    void toMemory(final long iova, final int length) {
        copy(BUFFER, iova, length, DMA_START | DMA_FROM_DEVICE);
    }

    /** Copies from the device to memory; an interrupt says when that is done. */
    void startToMemory(final long iova, final int length) {
        start(BUFFER, iova, length, DMA_START | DMA_FROM_DEVICE | DMA_RAISES);
    }

    private void copy(final long from, final long to, final int length, final int command) {
        start(from, to, length, command);
        await(DMA_COMMAND_OFFSET, DMA_START);
    }

    private void start(final long from, final long to, final int length, final int command) {
        // In one access: a 32-bit write sets the upper half to zero.
        bar.buffer().putLongVolatile(DMA_SOURCE_OFFSET, from);
        bar.buffer().putLongVolatile(DMA_DESTINATION_OFFSET, to);
        bar.writeInt(DMA_COUNT_OFFSET, length);
        bar.writeInt(DMA_COMMAND_OFFSET, command);
    }

    private void await(final int register, final int busy) {
        final long deadline = System.nanoTime() + DEADLINE_NANOS;
        while ((bar.readInt(register) & busy) != 0) {
            if (System.nanoTime() > deadline) {
                throw new IllegalStateException(String.format("register 0x%x of edu is still 0x%x",
                    register, bar.readInt(register)));
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
        }
    }
}
